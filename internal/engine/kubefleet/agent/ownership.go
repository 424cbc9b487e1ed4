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

// What KubeFleet's owner references say.
const (
	APIVersion  = kubefleetapi.AppliedWorkAPIVersion
	AppliedWork = "AppliedWork"
)

var _ memberpreview.Ownership = (*Ownership)(nil)

// Ownership tells a placement's objects on one member by their owner references.
type Ownership struct {
	// Own are the AppliedWorks on the member that stand for the placement, by name.
	Own map[string]metav1.OwnerReference
	// Hold tells what becomes of the hold that one of them has on an object; nil if they keep all that they have.
	Hold func(name string, object manifest.Key) Hold
	// Gives reports whether a reference is of a placement that hands the object over, which is then no owner beside the placement; nil for none.
	Gives func(live *unstructured.Unstructured, ref metav1.OwnerReference) bool
	// WorkExists reports whether the hub has a Work of a name for the member. An AppliedWork without one is left behind: an agent drops its reference when it takes an
	// object over, and never from an object that it owns already, which it then fails to apply.
	WorkExists func(name string) bool
}

// Hold is what becomes of the hold that an AppliedWork has on an object that refers to it. Every Work holds its own: one takes nothing over that
// another one of the same placement has.
type Hold int

const (
	// Keeps is for an object that is to be in the Work.
	Keeps Hold = iota
	// GivesUp is for one that leaves the Work, or whose Work goes: its agent deletes it, or lets go of it where somebody else owns it too.
	GivesUp
	// Clings is for one that leaves the Work and is left as it is, the AppliedWork's own: the agent removes nothing that it has only reported on, or
	// that it has failed to apply, while the Work stays.
	Clings
)

// Owns: it refers to an AppliedWork of the placement that keeps it, by its UID; to any of them where it is not placed any more.
func (w *Ownership) Owns(o *memberpreview.Object) bool {
	if o.Desired == nil {
		return slices.ContainsFunc(o.Live.GetOwnerReferences(), w.own)
	}
	return w.Holds(o.Live, Keeps)
}

// Holds tells whether one of the placement's AppliedWorks has this hold on an object.
func (w *Ownership) Holds(live *unstructured.Unstructured, hold Hold) bool {
	return slices.ContainsFunc(live.GetOwnerReferences(), func(ref metav1.OwnerReference) bool { return w.own(ref) && w.hold(ref, live) == hold })
}

func (w *Ownership) hold(ref metav1.OwnerReference, live *unstructured.Unstructured) Hold {
	if w.Hold == nil {
		return Keeps
	}
	return w.Hold(ref.Name, manifest.NewObject(live, nil).Key())
}

// Deletes tells whether an object is deleted when the AppliedWorks that give it up do so: nobody else owns it.
func (w *Ownership) Deletes(live *unstructured.Unstructured) bool {
	return w.Holds(live, GivesUp) && !w.Holds(live, Keeps) && len(w.References(live)) == 0
}

// own tells whether a reference is to the placement's own AppliedWork, as the agent compares them: UID, name, kind and version.
func (w *Ownership) own(ref metav1.OwnerReference) bool {
	own, found := w.Own[ref.Name]
	return found && ref.UID == own.UID && ref.Kind == own.Kind && ref.APIVersion == own.APIVersion
}

// Owner is who else looks after the object, by its marks. None but another placement of KubeFleet keeps it: the agent looks at owner references
// alone, and writes over every other mark.
func (w *Ownership) Owner(live *unstructured.Unstructured) takeover.Owner {
	without := live.DeepCopy()
	without.SetOwnerReferences(w.References(live))
	out := takeover.OwnerOf(without, takeover.Ours{})
	out.Exclusive = out.Exclusive && out.Kind == takeover.OwnerKubeFleet
	return out
}

// References leaves out the placement's own, but for those that cling to the object, those of placements that hand the object over, and those to AppliedWorks
// whose Work is gone, which the agent drops when it takes the object over.
func (w *Ownership) References(live *unstructured.Unstructured) []metav1.OwnerReference {
	owned := slices.ContainsFunc(live.GetOwnerReferences(), w.own)
	return slices.DeleteFunc(slices.Clone(live.GetOwnerReferences()), func(ref metav1.OwnerReference) bool {
		if w.own(ref) {
			return w.hold(ref, live) != Clings
		}
		if w.Gives != nil && w.Gives(live, ref) {
			return true
		}
		return !owned && w.IsWithoutWork(ref)
	})
}

// IsWithoutWork reports whether a reference is to an AppliedWork of others whose Work is gone.
func (w *Ownership) IsWithoutWork(ref metav1.OwnerReference) bool {
	return (ref.APIVersion == APIVersion || ref.Kind == AppliedWork) && !w.own(ref) && !w.WorkExists(ref.Name)
}

// Marked tells the same as Owns: the agent knows no other mark.
func (w *Ownership) Marked(o *memberpreview.Object) bool { return w.Owns(o) }

// Applied compares the hash of what the agent applied with that of what is to be placed.
func (w *Ownership) Applied(o *memberpreview.Object) bool {
	return w.Owns(o) && IsAsPlaced(o)
}

// IsAsPlaced reports whether an agent applied the manifest that is to be placed to an object last. It does not matter for which placement.
func IsAsPlaced(o *memberpreview.Object) bool {
	return o.Live.GetAnnotations()[SpecHashAnnotation] == SpecHash(o.Desired)
}

// UpToDate is never known without a comparison: the agent keeps no record of how it left an object.
func (*Ownership) UpToDate(*memberpreview.Object) bool { return false }

// LastSeen is never known either.
func (*Ownership) LastSeen(*memberpreview.Object) kube.Seen { return kube.Seen{} }
