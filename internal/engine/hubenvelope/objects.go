package hubenvelope

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Objects are those that an envelope is kept in on a hub of KubeFleet: envelopes of its API if it serves them, else an annotated ConfigMap, as
// older hubs want it.
func Objects(ctx context.Context, hub *kube.Cluster, spec envelope.Spec) ([]*unstructured.Unstructured, error) {
	_, err := hub.Resolve(ctx, envelope.TypeResourceEnvelope.Kind())
	if kube.IsUnknownKind(err) {
		return []*unstructured.Unstructured{spec.ConfigMap()}, nil
	}
	if err != nil {
		return nil, clusterset.Unreachable(hub.Name(), err)
	}
	kinds, err := hub.Kinds(ctx)
	if err != nil {
		return nil, clusterset.Unreachable(hub.Name(), err)
	}
	scopes := map[schema.GroupKind]bool{}
	for _, kind := range kinds {
		scopes[kind.GVK().GroupKind()] = kind.Namespaced
	}
	namespaced, clusterScoped, err := spec.Split(func(kind schema.GroupKind) (is, known bool) {
		is, known = scopes[kind]
		return is, known
	})
	if err != nil {
		return nil, err
	}
	var out []*unstructured.Unstructured
	for _, part := range []struct {
		spec envelope.Spec
		as   envelope.Type
	}{{namespaced, envelope.TypeResourceEnvelope}, {clusterScoped, envelope.TypeClusterResourceEnvelope}} {
		if len(part.spec.Manifests) == 0 {
			continue
		}
		u, err := part.spec.Encode(part.as)
		if err != nil {
			return nil, err
		}
		out = append(out, u)
	}
	return out, nil
}
