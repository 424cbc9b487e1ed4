package controlplane

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane/codec"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Dialect is how the API of a control plane is read.
type Dialect struct {
	// Product is the name of the software.
	Product string
	// Resolve returns the version in which a hub cluster serves a kind. It may return an *[engine.NotServedError], or leave that to the request.
	Resolve func(ctx context.Context, hub *kube.Cluster, kind schema.GroupKind) (schema.GroupVersionKind, error)
}

// Find reads one object of a kind. It returns nil if the object does not exist.
func Find(ctx context.Context, hub *kube.Cluster, dialect Dialect, kind schema.GroupKind, namespace, name string) (*unstructured.Unstructured, error) {
	gvk, err := dialect.Resolve(ctx, hub, kind)
	if err != nil {
		return nil, err
	}
	live, err := hub.Get(ctx, gvk, namespace, name)
	if kube.IsNotFound(err) {
		return nil, nil
	}
	return live, dialect.Explain(hub, kind, err)
}

// Get is [Find] for an API type. It returns the object in both forms.
func Get[T any](
	ctx context.Context, hub *kube.Cluster, dialect Dialect, kind schema.GroupKind, namespace, name string,
) (*T, *unstructured.Unstructured, error) {
	live, err := Find(ctx, hub, dialect, kind, namespace, name)
	if live == nil || err != nil {
		return nil, nil, err
	}
	out, err := codec.Decode[T](live)
	return out, live, err
}

// List reads the objects of a kind that match a label selector. An empty selector matches all objects.
func List[T any](ctx context.Context, hub *kube.Cluster, dialect Dialect, kind schema.GroupKind, namespace, labelSelector string) ([]T, error) {
	gvk, err := dialect.Resolve(ctx, hub, kind)
	if err != nil {
		return nil, err
	}
	found, err := hub.List(ctx, gvk, namespace, labelSelector)
	if err != nil {
		return nil, dialect.Explain(hub, kind, err)
	}
	out := make([]T, len(found))
	for i, u := range found {
		decoded, err := codec.Decode[T](u)
		if err != nil {
			return nil, err
		}
		out[i] = *decoded
	}
	return out, nil
}

// Names returns the sorted names of the objects of a kind. It requests only the metadata of the objects.
func Names(ctx context.Context, hub *kube.Cluster, dialect Dialect, kind schema.GroupKind, filter engine.Filter) ([]engine.Reference, error) {
	gvk, err := dialect.Resolve(ctx, hub, kind)
	if err != nil {
		return nil, err
	}
	found, err := hub.ListMetadata(ctx, gvk, filter.Namespace, filter.LabelSelector)
	if err != nil {
		return nil, dialect.Explain(hub, kind, err)
	}
	out := make([]engine.Reference, len(found))
	for i, object := range found {
		out[i] = engine.Reference{Namespace: object.Namespace, Name: object.Name}
	}
	slices.SortFunc(out, engine.Reference.Compare)
	return out, nil
}

// Explain returns an *[engine.NotServedError] or an *[engine.UnreachableError] if a request failed for that reason, and err otherwise.
func (d Dialect) Explain(hub *kube.Cluster, kind schema.GroupKind, err error) error {
	if kube.IsUnknownKind(err) {
		return &engine.NotServedError{Hub: hub.Name(), Kind: kind.String(), Product: d.Product}
	}
	return clusterset.Unreachable(hub.Name(), err)
}
