package controlplane

import (
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane/codec"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Dialect describes how to read the API of a control plane.
type Dialect struct {
	// Product is the name of the software.
	Product string
	// Resolve returns the version in which a hub cluster serves a kind. If no version is served, Resolve can return an
	// *[engine.NotServedError] or any version; the request with this version then fails.
	Resolve func(ctx context.Context, hub *kube.Cluster, kind schema.GroupKind) (schema.GroupVersionKind, error)
}

// Read reads one object. It returns nil if the object does not exist.
func Read(ctx context.Context, hub *kube.Cluster, gvk schema.GroupVersionKind, namespace, name string) (*unstructured.Unstructured, error) {
	live, err := hub.Get(ctx, gvk, namespace, name)
	if kube.IsNotFound(err) {
		return nil, nil
	}
	return live, clusterset.Unreachable(hub.Name(), err)
}

// ReadNow reads the current state of an object, which may have been recreated. It bypasses shared reads.
func ReadNow(ctx context.Context, hub *kube.Cluster, object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return hub.Get(kube.ReadUnshared(ctx), object.GroupVersionKind(), object.GetNamespace(), object.GetName())
}

// ReadAgain is like [ReadNow], for an object that a resource manages. It returns an *[engine.ReplacedError] if the object was recreated since it was
// read.
func ReadAgain(ctx context.Context, hub *kube.Cluster, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	now, err := ReadNow(ctx, hub, live)
	if err == nil {
		err = engine.CheckReplaced(now, string(live.GetUID()), hub.Name())
	}
	if err != nil {
		return nil, err
	}
	return now, nil
}

// ReadMany reads objects. It leaves out objects that do not exist, and those of kinds that the hub cluster does not serve.
func ReadMany(ctx context.Context, hub *kube.Cluster, refs []kube.Ref) (map[kube.Ref]*unstructured.Unstructured, error) {
	found, errs := hub.GetMany(ctx, refs)
	for _, err := range errs {
		if !kube.IsNotFound(err) && !kube.IsUnknownKind(err) {
			return nil, clusterset.Unreachable(hub.Name(), err)
		}
	}
	return found, nil
}

// ReadList reads the objects of a kind that match a label selector. An empty selector matches all objects.
func ReadList(
	ctx context.Context, hub *kube.Cluster, gvk schema.GroupVersionKind, namespace, labelSelector string,
) ([]*unstructured.Unstructured, error) {
	found, err := hub.List(ctx, gvk, namespace, labelSelector)
	return found, clusterset.Unreachable(hub.Name(), err)
}

// ReadMetadata is like [ReadList], but requests only the metadata of the objects.
func ReadMetadata(
	ctx context.Context, hub *kube.Cluster, gvk schema.GroupVersionKind, namespace, labelSelector string,
) ([]metav1.ObjectMeta, error) {
	found, err := hub.ListMetadata(ctx, gvk, namespace, labelSelector)
	return found, clusterset.Unreachable(hub.Name(), err)
}

// Find reads one object of a kind. It returns nil if the object does not exist.
func Find(ctx context.Context, hub *kube.Cluster, dialect Dialect, kind schema.GroupKind, namespace, name string) (*unstructured.Unstructured, error) {
	gvk, err := dialect.Resolve(ctx, hub, kind)
	if err != nil {
		return nil, err
	}
	live, err := Read(ctx, hub, gvk, namespace, name)
	return live, dialect.explain(hub, kind, err)
}

// Get is like [Find]. It returns the object as an API type and as an unstructured object; both are nil if the object does not exist.
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
	found, err := ReadList(ctx, hub, gvk, namespace, labelSelector)
	if err != nil {
		return nil, dialect.explain(hub, kind, err)
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

// Metadata is like [List], but requests only the metadata of the objects.
func Metadata(
	ctx context.Context, hub *kube.Cluster, dialect Dialect, kind schema.GroupKind, namespace, labelSelector string,
) ([]metav1.ObjectMeta, error) {
	gvk, err := dialect.Resolve(ctx, hub, kind)
	if err != nil {
		return nil, err
	}
	found, err := ReadMetadata(ctx, hub, gvk, namespace, labelSelector)
	return found, dialect.explain(hub, kind, err)
}

// Names returns the sorted names of the objects of a kind. It requests only the metadata of the objects.
func Names(ctx context.Context, hub *kube.Cluster, dialect Dialect, kind schema.GroupKind, filter engine.Filter) ([]engine.Reference, error) {
	found, err := Metadata(ctx, hub, dialect, kind, filter.Namespace, filter.LabelSelector)
	if err != nil {
		return nil, err
	}
	out := make([]engine.Reference, len(found))
	for i, object := range found {
		out[i] = engine.Reference{Namespace: object.Namespace, Name: object.Name}
	}
	slices.SortFunc(out, engine.Reference.Compare)
	return out, nil
}

// explain returns an *[engine.NotServedError] if a request failed because the hub cluster does not serve the kind, and err otherwise.
func (d Dialect) explain(hub *kube.Cluster, kind schema.GroupKind, err error) error {
	if kube.IsUnknownKind(err) {
		return &engine.NotServedError{Hub: hub.Name(), Kind: kind.String(), Product: d.Product}
	}
	return err
}
