package hub

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Kinds of overrides.
var (
	ClusterOverride = kindOf(wire.GroupVersion, wire.ClusterResourceOverrideKind)
	Override        = kindOf(wire.GroupVersion, wire.ResourceOverrideKind)
)

// Overrides reads the overrides of a hub. It includes namespaced overrides only if namespaced is true. For a hub that does not serve a kind, the result has no
// overrides of this kind.
func Overrides(ctx context.Context, hub *kube.Cluster, namespaced bool) (override.Overrides, error) {
	var out override.Overrides
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		found, err := List[wire.ClusterResourceOverride](ctx, hub, ClusterOverride, "", "")
		for _, o := range found {
			spec := convert.ToClusterOverride(o.Spec)
			convert.MarkSensitive(o.Annotations, spec.Policy)
			out.Cluster = append(out.Cluster, override.ClusterResourceOverride{Name: o.Name, Spec: spec})
		}
		return unlessMissing(err)
	})
	group.Go(func() error {
		if !namespaced {
			return nil
		}
		found, err := List[wire.ResourceOverride](ctx, hub, Override, "", "")
		for _, o := range found {
			spec := convert.ToOverride(o.Spec)
			convert.MarkSensitive(o.Annotations, spec.Policy)
			out.Namespaced = append(out.Namespaced, override.ResourceOverride{Namespace: o.Namespace, Name: o.Name, Spec: spec})
		}
		return unlessMissing(err)
	})
	err := group.Wait()
	return out, err
}

func unlessMissing(err error) error {
	if _, missing := errors.AsType[*engine.NotServedError](err); missing {
		return nil
	}
	return err
}
