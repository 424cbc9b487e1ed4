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

// These are the API version and the kind of the owner references that KubeFleet writes.
const (
	APIVersion  = kubefleetapi.AppliedWorkAPIVersion
	AppliedWork = "AppliedWork"
)

var _ memberpreview.Ownership = (*Ownership)(nil)

// Ownership identifies a placement's objects on one member by their owner references.
type Ownership struct {
	// Own are the AppliedWorks of the placement on the member, by name.
	Own map[string]metav1.OwnerReference
	// Disposition returns what happens to an object that the named AppliedWork owns. If Disposition is nil, all AppliedWorks retain their objects.
	Disposition func(name string, object manifest.Key) Disposition
	// Gives reports whether a reference does not count as another owner, because it belongs to a giver (a placement that hands the object over), or because
	// another placement has left it behind. If Gives is nil, all references count.
	Gives func(live *unstructured.Unstructured, ref metav1.OwnerReference) bool
	// WorkExists reports whether the hub has a Work with this name for the member. An agent that takes an object over removes a reference to an AppliedWork
	// without a Work. From an object that the agent already owns, it does not remove this reference, and it fails to apply the object.
	WorkExists func(name string) bool
}

// Disposition is what happens to an object that an AppliedWork owns. Each Work owns its own objects: an agent does not take over an object from another Work,
// not even from a Work of the same placement.
type Disposition int

const (
	// Retain is for an object that remains in the Work.
	Retain Disposition = iota
	// Release is for an object that leaves the Work, or whose Work is deleted. The agent deletes the object, or only removes its owner reference if the object
	// has another owner.
	Release
	// Ignore is for an object that leaves the Work, but remains unchanged and owned by the AppliedWork. While the Work exists, the agent does not remove an
	// object that it has only reported on, or that it could not apply.
	Ignore
)

// Owns reports whether an AppliedWork of the placement owns the object and retains it. For an object that is no longer placed, the AppliedWork need not retain
// the object.
func (w *Ownership) Owns(o *memberpreview.Object) bool {
	if o.Desired == nil {
		return slices.ContainsFunc(o.Live.GetOwnerReferences(), w.own)
	}
	return w.Holds(o.Live, Retain)
}

// Holds reports whether one of the placement's AppliedWorks owns the object, with this disposition for the object.
func (w *Ownership) Holds(live *unstructured.Unstructured, disposition Disposition) bool {
	return slices.ContainsFunc(live.GetOwnerReferences(), func(ref metav1.OwnerReference) bool { return w.own(ref) && w.hold(ref, live) == disposition })
}

func (w *Ownership) hold(ref metav1.OwnerReference, live *unstructured.Unstructured) Disposition {
	if w.Disposition == nil {
		return Retain
	}
	return w.Disposition(ref.Name, manifest.NewObject(live, nil).Key())
}

// Deletes reports whether an object is deleted because an AppliedWork of the placement releases it: no other AppliedWork of the placement retains it, and it
// has no other owner.
func (w *Ownership) Deletes(live *unstructured.Unstructured) bool {
	return w.Holds(live, Release) && !w.Holds(live, Retain) && len(w.References(live)) == 0
}

// own reports whether a reference is to an AppliedWork of the placement. Like the agent, it compares UID, name, kind and API version.
func (w *Ownership) own(ref metav1.OwnerReference) bool {
	own, found := w.Own[ref.Name]
	return found && ref.UID == own.UID && ref.Kind == own.Kind && ref.APIVersion == own.APIVersion
}

// Owner returns the other manager of the object according to its labels, annotations and owner references. Exclusive is true only for an owner reference of
// another placement of KubeFleet: the agent does not write an object of another placement, but overwrites objects with the labels or annotations of other
// managers.
func (w *Ownership) Owner(live *unstructured.Unstructured) takeover.Owner {
	without := live.DeepCopy()
	without.SetOwnerReferences(w.References(live))
	out := takeover.OwnerOf(without, takeover.Ours{})
	out.Exclusive = out.Exclusive && out.Kind == takeover.OwnerKubeFleet
	return out
}

// References returns the owner references that count as other owners of the object. It omits the references to the placement's own AppliedWorks whose
// disposition is not [Ignore], and the references for which Gives is true. If the placement does not own the object yet, it also omits references to
// AppliedWorks without a Work, because the agent removes them when it takes the object over.
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

// IsWithoutWork reports whether a reference is to an AppliedWork that does not belong to the placement and whose Work does not exist on the hub. It recognizes
// a reference to an AppliedWork by the API version or by the kind.
func (w *Ownership) IsWithoutWork(ref metav1.OwnerReference) bool {
	return (ref.APIVersion == APIVersion || ref.Kind == AppliedWork) && !w.own(ref) && !w.WorkExists(ref.Name)
}

// Marked is the same as Owns: the agent sets no other mark.
func (w *Ownership) Marked(o *memberpreview.Object) bool { return w.Owns(o) }

// Applied reports whether the placement owns the object, and the object was last applied with the manifest to be placed, according to its hash.
func (w *Ownership) Applied(o *memberpreview.Object) bool {
	return w.Owns(o) && IsAsPlaced(o)
}

// IsAsPlaced reports whether the manifest that was last applied to an object, by any placement, equals the one to be placed.
func IsAsPlaced(o *memberpreview.Object) bool {
	return o.Live.GetAnnotations()[SpecHashAnnotation] == SpecHash(o.Desired)
}

// UpToDate always returns false: the agent keeps no record of the object that it wrote, so only a comparison can show whether the object has changed.
func (*Ownership) UpToDate(*memberpreview.Object) bool { return false }

// LastSeen always returns the zero value, because the agent keeps no record of the object that it wrote.
func (*Ownership) LastSeen(*memberpreview.Object) kube.Seen { return kube.Seen{} }
