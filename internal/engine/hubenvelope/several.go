package hubenvelope

import (
	"context"
	"errors"
	"maps"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// ApplyAll writes all objects that contain an envelope on a KubeFleet hub, and deletes the objects that no longer contain it.
func ApplyAll(ctx context.Context, hub *kube.Cluster, spec envelope.Spec, prior *engine.Envelope) (engine.Envelope, error) {
	objects, err := Objects(ctx, hub, spec)
	if err != nil {
		return engine.Envelope{}, err
	}
	parts, kinds := make([]object, len(objects)), map[schema.GroupKind]bool{}
	for i, u := range objects { // check every object before the first write
		if parts[i], err = readForWrite(ctx, hub, u, spec.Namespace, prior); err != nil {
			return engine.Envelope{}, err
		}
		kinds[u.GroupVersionKind().GroupKind()] = true
	}
	dropped, err := current(ctx, hub, without(prior, kinds))
	if err != nil {
		return engine.Envelope{}, err
	}
	out := engine.Envelope{Spec: spec}
	for _, part := range parts {
		written, err := part.write(ctx, hub)
		if err != nil {
			return out, err
		}
		out.Objects = append(out.Objects, written.Objects...)
	}
	return out, remove(ctx, hub, dropped)
}

// without returns the prior envelope without the objects whose kind is in kinds. The remaining objects no longer contain the envelope.
func without(prior *engine.Envelope, kinds map[schema.GroupKind]bool) engine.Envelope {
	out := engine.Envelope{}
	if prior == nil {
		return out
	}
	out.Spec = prior.Spec
	for _, object := range prior.Objects {
		if !kinds[object.GroupVersionKind().GroupKind()] {
			out.Objects = append(out.Objects, object)
		}
	}
	return out
}

// ReadAll reads an envelope from all objects that contain it. Its labels and annotations are those that all of these objects have. prior is nil for an import.
// An import looks for objects of all types. It reads a ConfigMap only if it finds no other object, because an envelope is never stored in a ConfigMap and in an
// object of another type.
func ReadAll(ctx context.Context, hub *kube.Cluster, reference engine.Reference, prior *engine.Envelope) (engine.Envelope, error) {
	out := engine.Envelope{Spec: envelope.Spec{Name: reference.Name, Namespace: reference.Namespace, Manifests: map[string]string{}}}
	var unmarked *UnmarkedError
	for _, as := range []envelope.Type{envelope.TypeResourceEnvelope, envelope.TypeClusterResourceEnvelope, envelope.TypeConfigMap} {
		if !mayBe(prior, as) || prior == nil && as == envelope.TypeConfigMap && len(out.Objects) > 0 {
			continue
		}
		part, err := Read(ctx, hub, reference, as, prior)
		if errors.Is(err, engine.ErrNotFound) || errors.As(err, &unmarked) || kube.IsUnknownKind(err) {
			continue
		}
		if err != nil {
			return out, err
		}
		if len(out.Objects) == 0 {
			out.Spec.Labels, out.Spec.Annotations = part.Spec.Labels, part.Spec.Annotations
		} else {
			out.Spec.Labels, out.Spec.Annotations = common(out.Spec.Labels, part.Spec.Labels), common(out.Spec.Annotations, part.Spec.Annotations)
		}
		maps.Copy(out.Spec.Manifests, part.Spec.Manifests)
		out.Objects = append(out.Objects, part.Objects...)
	}
	switch {
	case len(out.Objects) > 0:
		return out, nil
	case unmarked != nil:
		return out, unmarked
	default:
		return out, engine.ErrNotFound
	}
}

func common(a, b map[string]string) map[string]string {
	out := maps.Clone(a)
	maps.DeleteFunc(out, func(key, value string) bool {
		other, found := b[key]
		return !found || other != value
	})
	return out
}

// mayBe reports whether an object of the type may contain the envelope.
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
