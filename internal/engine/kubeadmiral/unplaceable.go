package kubeadmiral

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/predict"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Unplaceable reads which kinds a host places. The returned function returns the reason why the host does not place objects of a kind, or "" if the host
// places them.
func Unplaceable(ctx context.Context, hub *kube.Cluster) (func(schema.GroupVersionKind) string, error) {
	found, err := host.List[v1alpha1.FederatedTypeConfig](ctx, hub, v1alpha1.FederatedTypeConfigKind, "", "")
	if err != nil {
		return nil, err
	}
	types := map[schema.GroupVersionKind]v1alpha1.FederatedTypeConfig{}
	for _, config := range found {
		source := config.Spec.SourceType
		types[schema.GroupVersionKind{Group: source.Group, Version: source.Version, Kind: source.Kind}] = config
	}
	return func(kind schema.GroupVersionKind) string {
		config, known := types[kind]
		switch {
		case !known:
			return fmt.Sprintf("the KubeAdmiral host cluster has no FederatedTypeConfig for the kind %s of %s", kind.Kind, kind.GroupVersion())
		case predict.HoldsAutoscalers(config):
			return predict.NoAutoscalers
		}
		return ""
	}, nil
}
