package hubenvelope

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Apply writes an envelope as an object of the given type. prior is nil for a new envelope. The object of a new envelope must not exist yet,
// unless it has the desired content: an apply that was killed before it saved its state can leave such an object.
func Apply(ctx context.Context, hub *kube.Cluster, spec envelope.Spec, as envelope.Type, prior *engine.Envelope) (engine.Envelope, error) {
	want, err := spec.Encode(as)
	if err != nil {
		return engine.Envelope{}, err
	}
	one, err := readForWrite(ctx, hub, want, spec.Namespace, prior)
	if err != nil {
		return engine.Envelope{}, err
	}
	return one.write(ctx, hub)
}

// Read reads the part of an envelope that an object of the given type contains. If a manifest in prior is equivalent to the live one, Read returns the text in
// prior. It returns [engine.ErrNotFound] if there is no such object, or if the object belongs to an envelope in another namespace. prior is nil for an import.
// An import returns an *[UnmarkedError] for a ConfigMap or a ClusterResourceEnvelope without the annotation of an envelope. If prior lists the object, Read
// returns the envelope even if the annotation was removed. If prior does not list the object, Read returns [engine.ErrNotFound] for an object without the
// annotation.
func Read(ctx context.Context, hub *kube.Cluster, reference engine.Reference, as envelope.Type, prior *engine.Envelope) (engine.Envelope, error) {
	at := reference.Namespace
	if as == envelope.TypeClusterResourceEnvelope {
		at = ""
	}
	live, err := hub.Get(ctx, as.Kind(), at, reference.Name)
	if kube.IsNotFound(err) {
		return engine.Envelope{}, engine.ErrNotFound
	}
	if err != nil {
		return engine.Envelope{}, clusterset.Unreachable(hub.Name(), err)
	}
	owner := ownerOf(as, live)
	if owner != "" && owner != reference.Namespace {
		return engine.Envelope{}, engine.ErrNotFound
	}
	known, err := isKnown(hub, live, reference.Namespace, prior)
	switch {
	case err != nil:
		return engine.Envelope{}, err
	case known || owner != "":
	case prior == nil:
		return engine.Envelope{}, &UnmarkedError{Object: identifier(live), Namespace: reference.Namespace}
	default:
		return engine.Envelope{}, engine.ErrNotFound
	}
	out, err := kept(live, nil)
	if err == nil && prior != nil {
		out.Spec.Namespace = reference.Namespace
		out.Spec.Manifests = out.Spec.AsWritten(as, prior.Spec.Manifests)
	}
	return out, err
}

// Delete deletes the objects that contain an envelope. It skips an object that no longer exists or that belongs to an envelope of the same name in another
// namespace. If one of the objects was replaced, Delete deletes nothing and returns an *[engine.ReplacedError].
func Delete(ctx context.Context, hub *kube.Cluster, prior engine.Envelope) error {
	found, err := current(ctx, hub, prior)
	if err != nil {
		return err
	}
	return remove(ctx, hub, found)
}

func current(ctx context.Context, hub *kube.Cluster, prior engine.Envelope) ([]*unstructured.Unstructured, error) {
	var out []*unstructured.Unstructured
	for _, object := range prior.Objects {
		live, err := hub.Get(ctx, object.GroupVersionKind(), object.Namespace, object.Name)
		if kube.IsNotFound(err) {
			continue
		}
		if err != nil {
			return nil, clusterset.Unreachable(hub.Name(), err)
		}
		if owner := ownerOf(envelope.Type(object.Kind), live); owner != "" && owner != prior.Spec.Namespace {
			continue
		}
		if _, err := isKnown(hub, live, prior.Spec.Namespace, &prior); err != nil {
			return nil, err
		}
		out = append(out, live)
	}
	return out, nil
}

// remove deletes the objects that were not replaced after they were read.
func remove(ctx context.Context, hub *kube.Cluster, objects []*unstructured.Unstructured) error {
	for _, live := range objects {
		err := hub.Delete(ctx, kube.RefOf(live), live.GetUID(), metav1.DeletePropagationBackground)
		if err != nil && !kube.IsNotFound(err) && !kube.IsConflict(err) {
			return clusterset.Unreachable(hub.Name(), err)
		}
	}
	return nil
}

// kept returns the envelope that an object contains, or the error with which the object was read or written.
func kept(u *unstructured.Unstructured, err error) (engine.Envelope, error) {
	if err != nil {
		return engine.Envelope{}, err
	}
	spec, _, err := envelope.Decode(u)
	return engine.Envelope{Spec: spec, Objects: []engine.KeptObject{{Identifier: identifier(u), UID: string(u.GetUID())}}}, err
}

func identifier(u *unstructured.Unstructured) manifest.Identifier {
	return manifest.NewObject(u, nil).Identifier
}
