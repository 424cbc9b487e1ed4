package fakekubeadmiral

import (
	"context"
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// mostRounds bounds the rounds of Rest.
const mostRounds = 100

// Rest reconciles the objects of one kind in a namespace until nothing changes, as a control plane could between any two writes of a client. It lists the
// objects on the host from the API server instead of the caches. Meanwhile, the rounds for all namespaces skip this namespace.
func (h *Host) Rest(ctx context.Context, namespace string, kind schema.GroupVersionKind) error {
	defer h.rests.Begin(namespace)()
	read := func(ctx context.Context, gvk schema.GroupVersionKind) ([]*unstructured.Unstructured, error) {
		switch gvk.Kind {
		case v1alpha1.FederatedClusterKind, v1alpha1.FederatedTypeConfigKind, v1alpha1.ClusterPropagationPolicyKind:
			return h.set.Hub.List(kube.ReadUnshared(ctx), gvk, "", "")
		case v1alpha1.PropagationPolicyKind, v1alpha1.FederatedObjectKind, kind.Kind:
			return h.set.Hub.List(kube.ReadUnshared(ctx), gvk, namespace, "")
		}
		return nil, nil
	}
	before := map[string]string{}
	for range mostRounds {
		v, err := h.view(ctx, read)
		if err != nil {
			return err
		}
		now := v.versions()
		if maps.Equal(before, now) {
			return nil
		}
		before = now
		if err := h.act(ctx, v, nil, h.isPausedNamespace); err != nil {
			return err
		}
	}
	return fmt.Errorf("the control plane does not come to rest in %s", namespace)
}

// isResting reports whether the rounds for all namespaces skip a namespace.
func (h *Host) isResting(namespace string) bool {
	return h.rests.IsBusy(namespace) || h.isPausedNamespace(namespace)
}

func (h *Host) isPausedNamespace(namespace string) bool { return h.isPaused(inNamespace(namespace)) }

// versions returns the resource versions of all objects in a view, by UID.
func (v *view) versions() map[string]string {
	out := map[string]string{}
	for _, s := range v.sources {
		out[string(s.live.GetUID())] = s.live.GetResourceVersion()
	}
	for _, f := range v.federated {
		out[f.UID] = f.live.GetResourceVersion()
	}
	return out
}
