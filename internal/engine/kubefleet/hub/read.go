package hub

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Served returns a kind in the version to speak, or an *[engine.NotServedError]. A kind that has been installed since the cluster was asked is found, too.
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
		Hub: cluster.Name(), Kind: kind.String(),
		Fleet: slices.ContainsFunc(kinds, func(k kube.Kind) bool {
			return k.Group == ClusterPlacement.Group && k.Kind == ClusterPlacement.Kind && kind != ClusterPlacement
		}),
	}
}

// Get reads one object of a kind; nil if there is none.
func Get[T any](ctx context.Context, cluster *kube.Cluster, kind schema.GroupKind, namespace, name string) (*T, *unstructured.Unstructured, error) {
	gvk, err := Served(ctx, cluster, kind)
	if err != nil {
		return nil, nil, err
	}
	live, err := cluster.Get(ctx, gvk, namespace, name)
	if kube.IsNotFound(err) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, clusterset.Unreachable(cluster.Name(), err)
	}
	out, err := convert.Decode[T](live)
	return out, live, err
}

// List reads the objects of a kind that have labels; all of them for an empty selector.
func List[T any](ctx context.Context, cluster *kube.Cluster, kind schema.GroupKind, namespace, labelSelector string) ([]T, error) {
	gvk, err := Served(ctx, cluster, kind)
	if err != nil {
		return nil, err
	}
	found, err := cluster.List(ctx, gvk, namespace, labelSelector)
	if err != nil {
		return nil, clusterset.Unreachable(cluster.Name(), err)
	}
	out := make([]T, len(found))
	for i, u := range found {
		one, err := convert.Decode[T](u)
		if err != nil {
			return nil, err
		}
		out[i] = *one
	}
	return out, nil
}

// Names are those of the objects of a kind. Nothing else of the objects is asked for.
func Names(ctx context.Context, cluster *kube.Cluster, kind schema.GroupKind, filter engine.Filter) ([]engine.Reference, error) {
	gvk, err := Served(ctx, cluster, kind)
	if err != nil {
		return nil, err
	}
	found, err := cluster.ListMetadata(ctx, gvk, filter.Namespace, filter.LabelSelector)
	if err != nil {
		return nil, clusterset.Unreachable(cluster.Name(), err)
	}
	out := make([]engine.Reference, len(found))
	for i, object := range found {
		out[i] = engine.Reference{Namespace: object.Namespace, Name: object.Name}
	}
	return out, nil
}

// Manifests are the objects of those of a placement's Works for one member that are asked for by name, applied or not.
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
