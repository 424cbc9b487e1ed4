package hubenvelope

import (
	"context"
	"errors"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// ApplyAll writes an envelope in all objects that a hub of KubeFleet opens, and removes those that it is no longer kept in.
func ApplyAll(ctx context.Context, hub *kube.Cluster, spec envelope.Spec, prior *engine.Envelope) (engine.Envelope, error) {
	objects, err := Objects(ctx, hub, spec)
	if err != nil {
		return engine.Envelope{}, err
	}
	out := engine.Envelope{Spec: spec}
	kinds := map[schema.GroupKind]bool{}
	for _, u := range objects {
		part, as, err := envelope.Decode(u)
		if err != nil {
			return out, err
		}
		written, err := Apply(ctx, hub, part, as, before(prior, u))
		if err != nil {
			return out, err
		}
		kinds[u.GroupVersionKind().GroupKind()] = true
		out.Objects = append(out.Objects, written.Objects...)
	}
	return out, Delete(ctx, hub, without(prior, kinds))
}

// before is what was known of the object that a part of the envelope is kept in; nil if there was none.
func before(prior *engine.Envelope, u *unstructured.Unstructured) *engine.Envelope {
	if prior == nil {
		return nil
	}
	for _, object := range prior.Objects {
		if object.GroupVersionKind().GroupKind() == u.GroupVersionKind().GroupKind() {
			return prior
		}
	}
	return nil
}

// without are the objects of kinds that the envelope is no longer kept in.
func without(prior *engine.Envelope, kinds map[schema.GroupKind]bool) engine.Envelope {
	out := engine.Envelope{}
	if prior == nil {
		return out
	}
	for _, object := range prior.Objects {
		if !kinds[object.GroupVersionKind().GroupKind()] {
			out.Objects = append(out.Objects, object)
		}
	}
	return out
}

// ReadAll reads an envelope from all objects that it is kept in. prior is nil for an import, which looks for every type.
func ReadAll(ctx context.Context, hub *kube.Cluster, reference engine.Reference, prior *engine.Envelope) (engine.Envelope, error) {
	out := engine.Envelope{Spec: envelope.Spec{Name: reference.Name, Namespace: reference.Namespace, Manifests: map[string]string{}}}
	for _, as := range []envelope.Type{envelope.TypeResourceEnvelope, envelope.TypeClusterResourceEnvelope, envelope.TypeConfigMap} {
		if !mayBe(prior, as) {
			continue
		}
		at := reference
		if as == envelope.TypeClusterResourceEnvelope {
			at.Namespace = ""
		}
		part, err := Read(ctx, hub, at, as)
		if errors.Is(err, engine.ErrNotFound) || kube.IsUnknownKind(err) {
			continue
		}
		if err != nil {
			return out, err
		}
		out.Spec.Labels, out.Spec.Annotations = part.Spec.Labels, part.Spec.Annotations
		maps.Copy(out.Spec.Manifests, part.Spec.Manifests)
		out.Objects = append(out.Objects, part.Objects...)
	}
	if len(out.Objects) == 0 {
		return out, engine.ErrNotFound
	}
	return out, nil
}

// mayBe tells whether an envelope may be kept as a type.
func mayBe(prior *engine.Envelope, as envelope.Type) bool {
	if prior == nil {
		return true
	}
	for _, object := range prior.Objects {
		if object.GroupVersionKind().GroupKind() == as.Kind().GroupKind() {
			return true
		}
	}
	return false
}
