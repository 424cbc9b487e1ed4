package fakehub

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Install creates an object if the cluster does not have it. If the existing object is being deleted, Install waits for the deletion and then creates the
// object. Tests of another package can leave such an object: for example, the deletion of a CustomResourceDefinition takes time, because it also deletes the
// objects of the kind.
func Install(ctx context.Context, cluster *kube.Cluster, u *unstructured.Unstructured, options kube.WriteOptions) error {
	for {
		_, err := cluster.Create(ctx, u, options)
		if !kube.IsAlreadyExists(err) {
			return err
		}
		live, err := cluster.Get(ctx, u.GroupVersionKind(), u.GetNamespace(), u.GetName())
		if kube.IsNotFound(err) {
			continue
		}
		if err != nil || live.GetDeletionTimestamp() == nil {
			return err
		}
		if err := cluster.WaitGone(ctx, kube.RefOf(live), live.GetUID()); err != nil {
			return err
		}
	}
}
