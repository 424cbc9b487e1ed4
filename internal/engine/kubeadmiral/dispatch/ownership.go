package dispatch

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

var _ memberpreview.Ownership = (*Ownership)(nil)

// Ownership recognizes the control plane's objects on one member by their label. An object on the host has one policy, so an object on a member never belongs
// to two placements.
type Ownership struct {
	// Synced are the objects that the control plane reports as up to date, with their generation on the member, which is 0 for kinds without generations.
	Synced map[manifest.Key]int64
	// Released reports whether an object loses its label before the first write. If Released is nil, no object does.
	Released func(*memberpreview.Object) bool
}

// Owns reports whether the object has the control plane's label and keeps it.
func (w *Ownership) Owns(o *memberpreview.Object) bool {
	return Managed(o.Live) && (w.Released == nil || !w.Released(o))
}

// Managed reports whether the object has the control plane's label.
func Managed(live metav1.Object) bool {
	return live.GetLabels()[v1alpha1.ManagedLabel] == "true"
}

// Adopted reports whether the object is a pre-existing object that the control plane has taken over.
func Adopted(live metav1.Object) bool {
	return live.GetAnnotations()[v1alpha1.AdoptedAnnotation] == "true"
}

// OptsOut reports whether the object has the label that forbids the control plane to write the object. Values other than "true" and "false" have no effect.
func OptsOut(live metav1.Object) bool {
	return live.GetLabels()[v1alpha1.ManagedLabel] == "false"
}

// Owner returns the owner of the object, apart from the control plane itself. For an object that opts out, the owner is the label with which it opts out, so
// that the object is never taken over. For an object with the control plane's label, the owner is not exclusive.
func (w *Ownership) Owner(live *unstructured.Unstructured) takeover.Owner {
	if OptsOut(live) {
		return takeover.Owner{Kind: takeover.OwnerKubeAdmiral, Name: "label " + v1alpha1.ManagedLabel + `: "false"`, Exclusive: true}
	}
	if Managed(live) { // the control plane overwrites the object even if it has other owners
		live = live.DeepCopy()
		unstructured.RemoveNestedField(live.Object, "metadata", "labels", v1alpha1.ManagedLabel)
		owner := takeover.OwnerOf(live, takeover.Ours{})
		owner.Exclusive = false
		return owner
	}
	return takeover.OwnerOf(live, takeover.Ours{})
}

// References returns the owner references of a pre-existing object. It returns none for the control plane's own objects, because the control plane removes
// their owner references.
func (w *Ownership) References(live *unstructured.Unstructured) []metav1.OwnerReference {
	if Managed(live) {
		return nil
	}
	return live.GetOwnerReferences()
}

// Marked reports the same as Owns.
func (w *Ownership) Marked(o *memberpreview.Object) bool { return w.Owns(o) }

// Applied reports whether the control plane reports the object as up to date and still owns it.
func (w *Ownership) Applied(o *memberpreview.Object) bool {
	_, synced := w.Synced[o.Key()]
	return synced && w.Owns(o)
}

// UpToDate reports whether the object still has the last generation that the control plane observed. It returns false for kinds without generations.
func (w *Ownership) UpToDate(o *memberpreview.Object) bool {
	generation, synced := w.Synced[o.Key()]
	return synced && generation != 0 && o.Live.GetGeneration() == generation && w.Owns(o)
}

// LastSeen always returns the zero value, because KubeAdmiral keeps no record of the object that it wrote.
func (*Ownership) LastSeen(*memberpreview.Object) kube.Seen { return kube.Seen{} }
