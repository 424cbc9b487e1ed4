package kubefleet

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane/codec"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// CheckOverride returns no limitations: hubs support cluster-scoped and namespaced overrides.
func (*Engine) CheckOverride(engine.Override) []engine.Limitation { return nil }

// ApplyOverride writes the override on the hub. If prior is nil, the override must not exist yet.
func (e *Engine) ApplyOverride(ctx context.Context, o engine.Override, prior *engine.Override) (engine.KeptOverride, error) {
	uid := ""
	if prior != nil {
		uid = prior.UID
	}
	stored, err := e.write(ctx, overrideKind(o.Reference), engine.Reference(o.Reference), overrideObject(o), prior == nil, uid)
	o.UID = uidOf(stored)
	return engine.KeptOverride{Override: o}, err
}

// ReadOverride reads an override. It returns the configured value wherever the stored value means the same. prior is nil for an import. In that case, the
// result has the fields that the provider or kubectl has applied. If these are unknown, it omits only the hub's defaults.
func (e *Engine) ReadOverride(ctx context.Context, reference override.Reference, prior *engine.Override) (engine.KeptOverride, error) {
	uid := ""
	if prior != nil {
		uid = prior.UID
	}
	live, err := e.findKnown(kube.FailFast(ctx), overrideKind(reference), engine.Reference(reference), uid)
	if err != nil {
		return engine.KeptOverride{}, err
	}
	out := engine.KeptOverride{Override: engine.Override{Reference: reference, UID: string(live.GetUID())}}
	manager := e.clusters.Hub.FieldManager("")
	if reference.Namespace == "" {
		var spec override.ClusterSpec
		if prior == nil || prior.Cluster == nil {
			spec, err = convert.ImportedClusterOverride(live, manager)
		} else if o, decodeErr := codec.Decode[wire.ClusterResourceOverride](live); decodeErr != nil {
			err = decodeErr
		} else {
			spec, err = convert.ClusterOverrideAsWritten(convert.ToClusterOverride(o.Spec), *prior.Cluster)
		}
		convert.MarkSensitive(live.GetAnnotations(), spec.Policy)
		out.Cluster = &spec
		return out, err
	}
	var spec override.Spec
	if prior == nil || prior.Namespaced == nil {
		spec, err = convert.ImportedOverride(live, manager)
	} else if o, decodeErr := codec.Decode[wire.ResourceOverride](live); decodeErr != nil {
		err = decodeErr
	} else {
		spec, err = convert.OverrideAsWritten(convert.ToOverride(o.Spec), *prior.Namespaced)
	}
	convert.MarkSensitive(live.GetAnnotations(), spec.Policy)
	out.Namespaced = &spec
	return out, err
}

// DeleteOverride deletes an override. A missing override is not an error.
func (e *Engine) DeleteOverride(ctx context.Context, prior engine.Override) error {
	return e.remove(ctx, overrideKind(prior.Reference), engine.Reference(prior.Reference), prior.UID)
}

func overrideKind(reference override.Reference) schema.GroupKind {
	if reference.Namespace == "" {
		return hub.ClusterOverride
	}
	return hub.Override
}

func overrideObject(o engine.Override) any {
	if o.Cluster != nil {
		return wire.ClusterResourceOverride{ObjectMeta: convert.OverrideMeta(o.Reference, o.Cluster.Policy), Spec: convert.FromClusterOverride(*o.Cluster)}
	}
	return wire.ResourceOverride{ObjectMeta: convert.OverrideMeta(o.Reference, o.Namespaced.Policy), Spec: convert.FromOverride(*o.Namespaced)}
}
