package controlplane

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// managedBy and provider are the key and the value of a label. The label marks objects that an engine creates on a hub cluster for itself, such as the identity
// of a member.
const managedBy, provider = "app.kubernetes.io/managed-by", "terraform-provider-fleet"

// MarkCreated sets the label of an object that the engine creates for itself. [DeleteCreated] deletes only objects with this label.
func MarkCreated(u *unstructured.Unstructured) {
	labels := u.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[managedBy] = provider
	u.SetLabels(labels)
}

// IsCreated reports whether an object has the label of [MarkCreated].
func IsCreated(u *unstructured.Unstructured) bool { return u.GetLabels()[managedBy] == provider }

// DeleteCreated deletes an object if it has the label of [MarkCreated]. It returns nil if the object does not have the label or does not exist.
func DeleteCreated(ctx context.Context, hub *kube.Cluster, gvk schema.GroupVersionKind, namespace, name string) error {
	live, err := Read(ctx, hub, gvk, namespace, name)
	if err != nil || live == nil || !IsCreated(live) {
		return err
	}
	return clusterset.Unreachable(hub.Name(), Delete(ctx, hub, kube.RefOf(live), live.GetUID()))
}
