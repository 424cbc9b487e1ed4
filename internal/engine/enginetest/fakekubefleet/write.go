package fakekubefleet

import (
	"context"
	"encoding/json"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane/codec"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// create creates an object on the hub. An existing one remains unchanged.
func (h *Hub) create(ctx context.Context, kind schema.GroupKind, object any) error {
	gvk, err := hub.Served(ctx, h.set.Hub, kind)
	if err != nil {
		return err
	}
	u, err := codec.Encode(object, gvk)
	if err != nil {
		return err
	}
	_, err = h.set.Hub.Create(ctx, u, kube.WriteOptions{FieldManager: Manager})
	if kube.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// patch merges fields into an object on the hub, or into its status. A nil field is removed.
func (h *Hub) patch(ctx context.Context, kind schema.GroupKind, namespace, name, subresource string, fields map[string]any) error {
	gvk, err := hub.Served(ctx, h.set.Hub, kind)
	if err != nil {
		return err
	}
	return patch(ctx, h.set.Hub, kube.Ref{GVK: gvk, Namespace: namespace, Name: name}, subresource, fields)
}

func patch(ctx context.Context, cluster *kube.Cluster, ref kube.Ref, subresource string, fields map[string]any) error {
	data, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	_, err = cluster.Patch(ctx, ref, types.MergePatchType, data, kube.WriteOptions{FieldManager: Manager, Subresource: subresource})
	if kube.IsNotFound(err) {
		return nil
	}
	return err
}

// remove deletes an object on the hub.
func (h *Hub) remove(ctx context.Context, kind schema.GroupKind, namespace, name string, uid types.UID) error {
	gvk, err := hub.Served(ctx, h.set.Hub, kind)
	if err != nil {
		return err
	}
	err = h.set.Hub.Delete(ctx, kube.Ref{GVK: gvk, Namespace: namespace, Name: name}, uid, "")
	if kube.IsNotFound(err) {
		return nil
	}
	return err
}

// fields returns the fields of a value. Each of the keys that the value omits is nil.
func fields(value any, keys ...string) (map[string]any, error) {
	u, err := codec.Encode(value, schema.GroupVersionKind{})
	if err != nil {
		return nil, err
	}
	unstructured.RemoveNestedField(u.Object, "apiVersion")
	unstructured.RemoveNestedField(u.Object, "kind")
	for _, key := range keys {
		if _, found := u.Object[key]; !found {
			u.Object[key] = nil
		}
	}
	return u.Object, nil
}

// finalizers returns the patch of an object's finalizers.
func finalizers(names ...string) map[string]any {
	list := make([]any, len(names))
	for i, name := range names {
		list[i] = name
	}
	return map[string]any{"metadata": map[string]any{"finalizers": list}}
}
