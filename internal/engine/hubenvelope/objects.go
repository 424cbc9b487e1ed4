package hubenvelope

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Objects returns the objects that contain an envelope on a KubeFleet hub, according to its wire format. By default these are envelopes of the hub's API, or an
// annotated ConfigMap for an older hub without that API. Objects returns an *[engine.NotServedError] if the hub does not serve the configured format, and an
// *[engine.LimitationError] if the format cannot contain one of the manifests.
func Objects(ctx context.Context, hub *kube.Cluster, spec envelope.Spec) ([]*unstructured.Unstructured, error) {
	asked := spec.WireFormat != "" && spec.WireFormat != envelope.FormatAuto
	if spec.WireFormat == envelope.FormatConfigMap {
		return []*unstructured.Unstructured{spec.ConfigMap()}, nil
	}
	_, err := hub.Resolve(ctx, envelope.TypeResourceEnvelope.Kind())
	switch {
	case kube.IsUnknownKind(err) && asked:
		return nil, &engine.NotServedError{Hub: hub.Name(), Kind: string(spec.WireFormat), Fleet: true}
	case kube.IsUnknownKind(err):
		return []*unstructured.Unstructured{spec.ConfigMap()}, nil
	case err != nil:
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
		if asked && string(part.as) != string(spec.WireFormat) {
			return nil, cannotCarry(spec.WireFormat, part.spec)
		}
		u, err := part.spec.Encode(part.as)
		if err != nil {
			return nil, err
		}
		out = append(out, u)
	}
	return out, nil
}

// cannotCarry returns the error for a format that cannot contain the manifests in part, because they have the other scope.
func cannotCarry(format envelope.WireFormat, part envelope.Spec) error {
	scope := "in a namespace"
	if format == envelope.FormatResourceEnvelope {
		scope = "cluster-scoped"
	}
	return &engine.LimitationError{Limitation: engine.Limitation{Path: placement.At("wire_format"), Message: fmt.Sprintf("A %s cannot contain "+
		"objects that are %s: %s. Use \"Auto\", which stores both kinds of objects, each in its own envelope.", format, scope, strings.Join(slices.Sorted(maps.Keys(part.Manifests)), ", "))}}
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

// InFormat returns an envelope with the object that stores it. If the format depends on the hub, or the envelope cannot be encoded, ok is false and the
// envelope has no object.
func InFormat(spec envelope.Spec) (kept engine.Envelope, ok bool) {
	if spec.WireFormat == "" || spec.WireFormat == envelope.FormatAuto {
		return engine.Envelope{Spec: spec}, false
	}
	u, err := spec.Encode(envelope.Type(spec.WireFormat))
	if err != nil {
		return engine.Envelope{Spec: spec}, false
	}
	return engine.Envelope{Spec: spec, Objects: []engine.KeptObject{{Identifier: identifier(u)}}}, true
}

// ErrUnknownKind is returned when a plan cannot predict the objects that contain an envelope, because the hub does not serve all kinds in the envelope. The same
// run may install them.
var ErrUnknownKind = errors.New("the hub does not serve all kinds in the envelope")

// Predict predicts the objects that contain an envelope after an apply. It returns [ErrUnknownKind], besides the predicted objects, if the hub does not serve
// all kinds in the envelope.
func Predict(ctx context.Context, hub *kube.Cluster, spec envelope.Spec) (engine.Envelope, error) {
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
			return out, ErrUnknownKind
		}
	}
	return out, nil
}
