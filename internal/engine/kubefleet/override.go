package kubefleet

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// CheckOverride has nothing against any: hubs have overrides of both kinds.
func (*Engine) CheckOverride(engine.Override) []engine.Limitation { return nil }

// ApplyOverride writes the override on the hub.
func (e *Engine) ApplyOverride(ctx context.Context, o engine.Override, prior *engine.Override) (engine.KeptOverride, error) {
	live, err := e.override(ctx, o.Reference)
	if err != nil {
		return engine.KeptOverride{}, err
	}
	if live != nil && prior == nil {
		return engine.KeptOverride{}, &engine.ExistsError{
			What: "The " + o.Reference.String(), Where: "the hub", Import: engine.Reference(o.Reference).String(),
		}
	}
	want, err := e.encodeOverride(ctx, o)
	if err != nil {
		return engine.KeptOverride{}, err
	}
	_, err = hub.Put(ctx, e.clusters.Hub, want, live)
	return engine.KeptOverride{Override: o}, err
}

// ReadOverride reads it, in the words of the configuration where both mean the same.
func (e *Engine) ReadOverride(ctx context.Context, reference override.Reference, prior *engine.Override) (engine.KeptOverride, error) {
	live, err := e.override(kube.Look(ctx), reference)
	if err != nil {
		return engine.KeptOverride{}, err
	}
	if live == nil {
		return engine.KeptOverride{}, engine.ErrNotFound
	}
	out := engine.KeptOverride{Override: engine.Override{Reference: reference}}
	manager := e.clusters.Hub.FieldManager("")
	if reference.Namespace == "" {
		var spec override.ClusterSpec
		if prior == nil || prior.Cluster == nil {
			spec, err = convert.ImportedClusterOverride(live, manager)
		} else if o, decodeErr := convert.Decode[wire.ClusterResourceOverride](live); decodeErr != nil {
			err = decodeErr
		} else {
			spec, err = convert.ClusterOverrideAsWritten(convert.ToClusterOverride(o.Spec), *prior.Cluster)
		}
		out.Cluster = &spec
		return out, err
	}
	var spec override.Spec
	if prior == nil || prior.Namespaced == nil {
		spec, err = convert.ImportedOverride(live, manager)
	} else if o, decodeErr := convert.Decode[wire.ResourceOverride](live); decodeErr != nil {
		err = decodeErr
	} else {
		spec, err = convert.OverrideAsWritten(convert.ToOverride(o.Spec), *prior.Namespaced)
	}
	out.Namespaced = &spec
	return out, err
}

// DeleteOverride deletes it. One that is gone is no error.
func (e *Engine) DeleteOverride(ctx context.Context, prior engine.Override) error {
	live, err := e.override(ctx, prior.Reference)
	if err != nil || live == nil {
		return err
	}
	err = e.clusters.Hub.Delete(ctx, kube.RefOf(live), live.GetUID(), metav1.DeletePropagationBackground)
	if kube.IsNotFound(err) {
		return nil
	}
	return clusterset.Unreachable(e.clusters.Hub.Name(), err)
}

// override is the object as it is on the hub; nil if there is none.
func (e *Engine) override(ctx context.Context, reference override.Reference) (*unstructured.Unstructured, error) {
	gvk, err := hub.Served(ctx, e.clusters.Hub, overrideKind(reference))
	if err != nil {
		return nil, err
	}
	live, err := e.clusters.Hub.Get(ctx, gvk, reference.Namespace, reference.Name)
	if kube.IsNotFound(err) {
		return nil, nil
	}
	return live, clusterset.Unreachable(e.clusters.Hub.Name(), err)
}

func overrideKind(reference override.Reference) schema.GroupKind {
	if reference.Namespace == "" {
		return hub.ClusterOverride
	}
	return hub.Override
}

func (e *Engine) encodeOverride(ctx context.Context, o engine.Override) (*unstructured.Unstructured, error) {
	gvk, err := hub.Served(ctx, e.clusters.Hub, overrideKind(o.Reference))
	if err != nil {
		return nil, err
	}
	named := metav1.ObjectMeta{Namespace: o.Namespace, Name: o.Name}
	if o.Cluster != nil {
		return convert.Encode(wire.ClusterResourceOverride{ObjectMeta: named, Spec: convert.FromClusterOverride(*o.Cluster)}, gvk)
	}
	return convert.Encode(wire.ResourceOverride{ObjectMeta: named, Spec: convert.FromOverride(*o.Namespaced)}, gvk)
}
