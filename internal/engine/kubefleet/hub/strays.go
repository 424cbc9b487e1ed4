package hub

import (
	"context"
	"encoding/json"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// removeStrays leaves nothing in the spec of an object but what is configured and what the hub fills in, and returns the object as it is then. It is
// refused if the object has changed since it was read.
func removeStrays(ctx context.Context, cluster *kube.Cluster, want, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	spec, err := convert.WithoutStrays(want, live)
	if err != nil || spec == nil {
		return live, err
	}
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"uid": live.GetUID(), "resourceVersion": live.GetResourceVersion()}, "spec": spec,
	})
	if err != nil {
		return nil, err
	}
	return cluster.Patch(ctx, kube.RefOf(live), types.MergePatchType, patch, kube.WriteOptions{Strict: true})
}
