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

// Ownership tells the control plane's objects on one member by their label. An object has one place on the host, so that it is no other placement's.
type Ownership struct {
	// Synced are the objects that the control plane says to be as they are to be, with their generation on the member; 0 for kinds that count none.
	Synced map[manifest.Key]int64
	// Released tells of an object that loses its label before anything is written; nil for none.
	Released func(*memberpreview.Object) bool
}

// Owns: it has the label, and keeps it.
func (w *Ownership) Owns(o *memberpreview.Object) bool {
	return Managed(o.Live) && (w.Released == nil || !w.Released(o))
}

// Managed tells the label of the control plane.
func Managed(live metav1.Object) bool {
	return live.GetLabels()[v1alpha1.ManagedLabel] == "true"
}

// Adopted tells whether the control plane has taken an object over that was there.
func Adopted(live metav1.Object) bool {
	return live.GetAnnotations()[v1alpha1.AdoptedAnnotation] == "true"
}

// Owner is who else looks after the object. One whose label says that the control plane is to keep off is left alone, whatever the mode.
func (w *Ownership) Owner(live *unstructured.Unstructured) takeover.Owner {
	value := live.GetLabels()[v1alpha1.ManagedLabel]
	if value != "" && value != "true" {
		return takeover.Owner{Kind: takeover.OwnerKubeAdmiral, Name: "label " + v1alpha1.ManagedLabel + ": \"" + value + "\"", Exclusive: true}
	}
	if value != "" { // it is overwritten, whoever else looks after it
		live = live.DeepCopy()
		unstructured.RemoveNestedField(live.Object, "metadata", "labels", v1alpha1.ManagedLabel)
		owner := takeover.OwnerOf(live, takeover.Ours{})
		owner.Exclusive = false
		return owner
	}
	return takeover.OwnerOf(live, takeover.Ours{})
}

// References are those of an object that is to be taken over. Of its own the control plane drops them.
func (w *Ownership) References(live *unstructured.Unstructured) []metav1.OwnerReference {
	if Managed(live) {
		return nil
	}
	return live.GetOwnerReferences()
}

// Marked tells the same as Owns.
func (w *Ownership) Marked(o *memberpreview.Object) bool { return w.Owns(o) }

// Applied: the control plane says so.
func (w *Ownership) Applied(o *memberpreview.Object) bool {
	_, synced := w.Synced[o.Key()]
	return synced && w.Owns(o)
}

// UpToDate: it has the generation that the control plane has seen last.
func (w *Ownership) UpToDate(o *memberpreview.Object) bool {
	generation, synced := w.Synced[o.Key()]
	return synced && generation != 0 && o.Live.GetGeneration() == generation && w.Owns(o)
}

// LastSeen is never known.
func (*Ownership) LastSeen(*memberpreview.Object) kube.Seen { return kube.Seen{} }
