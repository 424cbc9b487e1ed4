package host

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Delete deletes an object on the host, and repeats the request as [controlplane.Repeat] does. It returns nil if the object is gone: the response to an earlier request may have
// been lost.
func Delete(ctx context.Context, host *kube.Cluster, ref kube.Ref, uid types.UID) error {
	_, err := controlplane.Repeat(ctx, func() (struct{}, error) {
		return struct{}{}, host.Delete(ctx, ref, uid, metav1.DeletePropagationBackground)
	})
	if kube.IsNotFound(err) {
		return nil
	}
	return err
}

// DeleteAndWait deletes an object on the host, and waits until it is gone.
func DeleteAndWait(ctx context.Context, host *kube.Cluster, ref kube.Ref, uid types.UID) error {
	if err := Delete(ctx, host, ref, uid); err != nil {
		return err
	}
	err := host.WaitGone(ctx, ref, uid)
	if kube.IsNotFound(err) {
		return nil
	}
	return err
}
