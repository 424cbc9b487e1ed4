package hubenvelope

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
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
	scope, err := scopes(ctx, hub)
	if err != nil {
		return nil, err
	}
	namespaced, clusterScoped, err := spec.Split(scope)
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

func scopes(ctx context.Context, hub *kube.Cluster) (envelope.Scope, error) {
	kinds, err := hub.Kinds(ctx)
	if err != nil {
		return nil, clusterset.Unreachable(hub.Name(), err)
	}
	scopes := map[schema.GroupKind]bool{}
	for _, kind := range kinds {
		scopes[kind.GVK().GroupKind()] = kind.Namespaced
	}
	return func(kind schema.GroupKind) (namespaced, known bool) {
		namespaced, known = scopes[kind]
		return namespaced, known
	}, nil
}

// errUnknownKind is why it shows only when an envelope is written what it is kept in.
var errUnknownKind = errors.New("the hub does not serve all kinds that are in the envelope")

// Foreseen is an envelope as it is going to be kept.
func Foreseen(ctx context.Context, hub *kube.Cluster, spec envelope.Spec) (engine.Envelope, error) {
	out := engine.Envelope{Spec: spec}
	objects, err := Objects(ctx, hub, spec)
	if err != nil {
		return out, err
	}
	scope, err := scopes(ctx, hub)
	if err != nil {
		return out, err
	}
	for _, u := range objects {
		object := manifest.NewObject(u, nil)
		out.Objects = append(out.Objects, engine.KeptObject{Identifier: object.Identifier})
	}
	for _, inside := range spec.Objects() {
		if _, known := scope(inside.GroupVersionKind().GroupKind()); !known {
			return out, errUnknownKind
		}
	}
	return out, nil
}
