package agent

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// What KubeFleet's owner references say.
const (
	APIVersion  = "placement.kubernetes-fleet.io/v1beta1"
	AppliedWork = "AppliedWork"
)

var _ memberpreview.Ownership = (*Ownership)(nil)

// Ownership tells a placement's objects on one member by their owner references.
type Ownership struct {
	// Own are the AppliedWorks on the member that stand for the placement, by name.
	Own map[string]metav1.OwnerReference
	// WorkExists tells whether the hub has a Work of a name for the member. An AppliedWork without one is left behind, and owns nothing.
	WorkExists func(name string) bool
}

// Owns: it refers to an AppliedWork of the placement, by its UID.
func (w *Ownership) Owns(o *memberpreview.Object) bool {
	return slices.ContainsFunc(o.Live.GetOwnerReferences(), w.own)
}

// own tells whether a reference is to the placement's own AppliedWork, as the agent compares them: UID, name, kind and version.
func (w *Ownership) own(ref metav1.OwnerReference) bool {
	own, found := w.Own[ref.Name]
	return found && ref.UID == own.UID && ref.Kind == own.Kind && ref.APIVersion == own.APIVersion
}

// Owner is who else looks after the object, by its marks.
func (w *Ownership) Owner(live *unstructured.Unstructured) takeover.Owner {
	without := live.DeepCopy()
	without.SetOwnerReferences(w.References(live))
	return takeover.OwnerOf(without, takeover.Ours{})
}

// References leaves out the placement's own and those to AppliedWorks whose Work is gone, which the agent drops when it takes the object over.
func (w *Ownership) References(live *unstructured.Unstructured) []metav1.OwnerReference {
	return slices.DeleteFunc(slices.Clone(live.GetOwnerReferences()), func(ref metav1.OwnerReference) bool {
		return w.own(ref) || (ref.APIVersion == APIVersion || ref.Kind == AppliedWork) && !w.WorkExists(ref.Name)
	})
}

// Marked tells the same as Owns: the agent knows no other mark.
func (w *Ownership) Marked(o *memberpreview.Object) bool { return w.Owns(o) }

// Applied compares the hash of what the agent applied with that of what is to be placed.
func (w *Ownership) Applied(o *memberpreview.Object) bool {
	return w.Owns(o) && o.Live.GetAnnotations()[SpecHashAnnotation] == SpecHash(o.Desired)
}

// UpToDate is never known without a comparison: the agent keeps no record of how it left an object.
func (*Ownership) UpToDate(*memberpreview.Object) bool { return false }

// LastSeen is never known either.
func (*Ownership) LastSeen(*memberpreview.Object) kube.Seen { return kube.Seen{} }
