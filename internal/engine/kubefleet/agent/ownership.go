package agent

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/kubefleetapi"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// The owner references that KubeFleet writes.
const (
	APIVersion  = kubefleetapi.AppliedWorkAPIVersion
	AppliedWork = "AppliedWork"
)

var _ memberpreview.Ownership = (*Ownership)(nil)

// Ownership identifies a placement's objects on one member by their owner references.
type Ownership struct {
	// Own are the AppliedWorks of the placement on the member, by name.
	Own map[string]metav1.OwnerReference
	// Disposition returns what happens to the ownership that an AppliedWork has of an object; nil if they keep all their objects.
	Disposition func(name string, object manifest.Key) Disposition
	// Gives reports whether a reference belongs to a placement that hands the object over, and does not count as a second owner; nil for none.
	Gives func(live *unstructured.Unstructured, ref metav1.OwnerReference) bool
	// WorkExists reports whether the hub has a Work of a name for the member. An AppliedWork without a Work is left behind. An agent drops a reference to it
	// when it takes an object over, but never from an object that it already owns, and then fails to apply that object.
	WorkExists func(name string) bool
}

// Disposition is what happens to the ownership that an AppliedWork has of an object. Each Work owns its own objects: it takes over no object of another Work,
// even one of the same placement.
type Disposition int

const (
	// Retain is for an object that remains in the Work.
	Retain Disposition = iota
	// Release is for an object that leaves the Work, or whose Work is deleted: its agent deletes it, or removes its owner reference if the object has another
	// owner.
	Release
	// Ignore is for an object that leaves the Work and remains unchanged, still owned by the AppliedWork: while the Work exists, the agent does not remove an
	// object that it has only reported on, or has failed to apply.
	Ignore
)

// Owns reports whether an AppliedWork of the placement that keeps the object owns it, by UID. For an object that is no longer placed, any AppliedWork of the
// placement counts.
func (w *Ownership) Owns(o *memberpreview.Object) bool {
	if o.Desired == nil {
		return slices.ContainsFunc(o.Live.GetOwnerReferences(), w.own)
	}
	return w.Holds(o.Live, Retain)
}

// Holds reports whether one of the placement's AppliedWorks has this hold on an object.
func (w *Ownership) Holds(live *unstructured.Unstructured, hold Disposition) bool {
	return slices.ContainsFunc(live.GetOwnerReferences(), func(ref metav1.OwnerReference) bool { return w.own(ref) && w.hold(ref, live) == hold })
}

func (w *Ownership) hold(ref metav1.OwnerReference, live *unstructured.Unstructured) Disposition {
	if w.Disposition == nil {
		return Retain
	}
	return w.Disposition(ref.Name, manifest.NewObject(live, nil).Key())
}

// Deletes reports whether an object is deleted when the AppliedWorks that give it up do so: it has no other owner.
func (w *Ownership) Deletes(live *unstructured.Unstructured) bool {
	return w.Holds(live, Release) && !w.Holds(live, Retain) && len(w.References(live)) == 0
}

// own reports whether a reference is to the placement's own AppliedWork. Like the agent, it compares UID, name, kind and version.
func (w *Ownership) own(ref metav1.OwnerReference) bool {
	own, found := w.Own[ref.Name]
	return found && ref.UID == own.UID && ref.Kind == own.Kind && ref.APIVersion == own.APIVersion
}

// Owner returns the other manager of the object, found by its labels, annotations and owner references. Only another placement of KubeFleet keeps the agent
// from writing: the agent checks owner references only, and overwrites objects with any other mark.
func (w *Ownership) Owner(live *unstructured.Unstructured) takeover.Owner {
	without := live.DeepCopy()
	without.SetOwnerReferences(w.References(live))
	out := takeover.OwnerOf(without, takeover.Ours{})
	out.Exclusive = out.Exclusive && out.Kind == takeover.OwnerKubeFleet
	return out
}

// References returns the owner references, except three groups that the agent drops when it takes the object over: the placement's own references that do not
// cling to the object, those of placements that hand the object over, and those to AppliedWorks without a Work.
func (w *Ownership) References(live *unstructured.Unstructured) []metav1.OwnerReference {
	owned := slices.ContainsFunc(live.GetOwnerReferences(), w.own)
	return slices.DeleteFunc(slices.Clone(live.GetOwnerReferences()), func(ref metav1.OwnerReference) bool {
		if w.own(ref) {
			return w.hold(ref, live) != Ignore
		}
		if w.Gives != nil && w.Gives(live, ref) {
			return true
		}
		return !owned && w.IsWithoutWork(ref)
	})
}

// IsWithoutWork reports whether a reference is to an AppliedWork of another placement whose Work is gone.
func (w *Ownership) IsWithoutWork(ref metav1.OwnerReference) bool {
	return (ref.APIVersion == APIVersion || ref.Kind == AppliedWork) && !w.own(ref) && !w.WorkExists(ref.Name)
}

// Marked is the same as Owns: the agent sets no other mark.
func (w *Ownership) Marked(o *memberpreview.Object) bool { return w.Owns(o) }

// Applied compares the hash of the last applied manifest with the hash of the manifest to be placed.
func (w *Ownership) Applied(o *memberpreview.Object) bool {
	return w.Owns(o) && IsAsPlaced(o)
}

// IsAsPlaced reports whether the manifest that was last applied to an object, by any placement, equals the one to be placed.
func IsAsPlaced(o *memberpreview.Object) bool {
	return o.Live.GetAnnotations()[SpecHashAnnotation] == SpecHash(o.Desired)
}

// UpToDate always returns false: without a comparison it is unknown, because the agent keeps no record of the object it wrote.
func (*Ownership) UpToDate(*memberpreview.Object) bool { return false }

// LastSeen always returns the zero value for the same reason.
func (*Ownership) LastSeen(*memberpreview.Object) kube.Seen { return kube.Seen{} }
