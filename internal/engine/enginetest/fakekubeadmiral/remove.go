package fakekubeadmiral

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/dispatch"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// removeAll deletes or releases an object on all members, because its FederatedObject is being deleted. It removes the finalizer of the FederatedObject once no
// member has the object with the managed label. A member that is not ready blocks the removal of the finalizer.
func (h *Host) removeAll(ctx context.Context, v *view, f *federated) error {
	if !has(f.live.GetFinalizers(), v1alpha1.SyncFinalizer) {
		return nil
	}
	clean := true
	for _, s := range f.Status.Clusters {
		member := v.member(s.Cluster)
		if member == nil {
			continue
		}
		on, err := h.set.Member(s.Cluster)
		if err != nil {
			return err
		}
		if !convert.Is(*member, v1alpha1.ConditionReady) {
			clean = false
			continue
		}
		left, err := h.remove(ctx, on, f, true)
		if err != nil {
			return err
		}
		clean = clean && !left
	}
	if !clean {
		return nil
	}
	return patch(ctx, h.set.Hub, f.live, "", finalizers(without(f.live.GetFinalizers(), v1alpha1.SyncFinalizer)))
}

// remove deletes an object from a member, or removes its managed label. left reports whether the member had the object with this label, so that the next round
// has to check it again. If respect is true, as for a deleted FederatedObject, remove follows the orphan annotation, and treats every Namespace as if the
// annotation had the value for adopted objects.
func (h *Host) remove(ctx context.Context, on *kube.Cluster, f *federated, respect bool) (left bool, err error) {
	live, err := find(ctx, on, f.Identifier())
	if err != nil || live == nil || !dispatch.Managed(live) {
		return false, err
	}
	orphan := f.Annotations[v1alpha1.OrphanAnnotation]
	if id := f.Identifier(); id.IsNamespace() {
		orphan = v1alpha1.OrphanAdopted
	}
	if respect && (orphan == v1alpha1.OrphanAll || orphan == v1alpha1.OrphanAdopted && dispatch.Adopted(live)) {
		return true, on.RemoveMetadata(ctx, live, []string{v1alpha1.ManagedLabel}, nil)
	}
	if live.GetDeletionTimestamp() != nil {
		return true, nil
	}
	err = on.Delete(ctx, kube.RefOf(live), live.GetUID(), metav1.DeletePropagationBackground)
	if kube.IsNotFound(err) {
		return false, nil
	}
	return true, err
}
