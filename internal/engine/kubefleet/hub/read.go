package hub

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Served returns a kind in the version that the provider uses. It returns an *[engine.NotServedError] if the hub does not serve the kind in a supported
// version. Served also finds a kind that was installed after the last discovery.
func Served(ctx context.Context, cluster *kube.Cluster, kind schema.GroupKind) (schema.GroupVersionKind, error) {
	kinds, err := cluster.Kinds(ctx)
	if err != nil {
		return schema.GroupVersionKind{}, clusterset.Unreachable(cluster.Name(), err)
	}
	for _, served := range kinds {
		if served.Group != kind.Group || served.Kind != kind.Kind {
			continue
		}
		if gvk, found := convert.Choose(kind, served.Versions); found {
			return gvk, nil
		}
	}
	for _, version := range convert.Versions() {
		_, err := cluster.Resolve(ctx, kind.WithVersion(version))
		if err == nil {
			return kind.WithVersion(version), nil
		}
		if !kube.IsUnknownKind(err) {
			return schema.GroupVersionKind{}, clusterset.Unreachable(cluster.Name(), err)
		}
	}
	return schema.GroupVersionKind{}, &engine.NotServedError{
		Hub: cluster.Name(), Kind: kind.String(), Product: "KubeFleet",
		Fleet: slices.ContainsFunc(kinds, func(k kube.Kind) bool {
			return k.Group == ClusterPlacement.Group && k.Kind == ClusterPlacement.Kind && kind != ClusterPlacement
		}),
	}
}

// Dialect describes the API of a KubeFleet hub for package controlplane.
var Dialect = controlplane.Dialect{Product: "KubeFleet", Resolve: Served}

// Get calls [controlplane.Get] on a hub.
func Get[T any](ctx context.Context, hub *kube.Cluster, kind schema.GroupKind, namespace, name string) (*T, *unstructured.Unstructured, error) {
	return controlplane.Get[T](ctx, hub, Dialect, kind, namespace, name)
}

// List calls [controlplane.List] on a hub.
func List[T any](ctx context.Context, hub *kube.Cluster, kind schema.GroupKind, namespace, labelSelector string) ([]T, error) {
	return controlplane.List[T](ctx, hub, Dialect, kind, namespace, labelSelector)
}

// Names calls [controlplane.Names] on a hub.
func Names(ctx context.Context, hub *kube.Cluster, kind schema.GroupKind, filter engine.Filter) ([]engine.Reference, error) {
	return controlplane.Names(ctx, hub, Dialect, kind, filter)
}

// Manifests lists the objects in the named Works of a placement for one member, applied or not.
func Manifests(ctx context.Context, hub *kube.Cluster, member string, of engine.Reference, names []string) ([]manifest.Identifier, error) {
	works, err := List[wire.Work](ctx, hub, Work, MemberNamespacePrefix+member, WorksOf(of))
	if err != nil {
		return nil, err
	}
	var out []manifest.Identifier
	for _, work := range works {
		if !slices.Contains(names, work.Name) {
			continue
		}
		objects, err := convert.Manifests(work)
		if err != nil {
			return nil, err
		}
		out = append(out, objects...)
	}
	return out, nil
}
