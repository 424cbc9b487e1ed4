package app

import (
	"context"
	"errors"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// undecided is the engine of a configuration that has a hub and names no engine. Where KubeFleet runs on that hub, new placements have to wait
// until the user has said who places them: placing directly beside a hub that places too is hardly ever meant.
type undecided struct {
	engine.Engine

	hub *kube.Cluster
}

func (u undecided) Preview(ctx context.Context, p engine.Placement, options engine.PreviewOptions) (*engine.Preview, error) {
	if options.Create {
		if err := u.decided(ctx); err != nil {
			return nil, err
		}
	}
	return u.Engine.Preview(ctx, p, options)
}

func (u undecided) ApplyPlacement(ctx context.Context, p engine.Placement, options engine.ApplyOptions) (*engine.Result, error) {
	if options.Create {
		if err := u.decided(ctx); err != nil {
			return nil, err
		}
	}
	return u.Engine.ApplyPlacement(ctx, p, options)
}

// decided is an error where the hub serves placements of its own. A hub that does not answer says nothing: whoever needs it tells.
func (u undecided) decided(ctx context.Context) error {
	kinds, err := u.hub.Kinds(ctx)
	if err != nil {
		return nil //nolint:nilerr // see above
	}
	for _, kind := range kinds {
		if kind.Group == "placement.kubernetes-fleet.io" && kind.Kind == "ClusterResourcePlacement" {
			return errors.New("KubeFleet runs on the hub (it serves placement.kubernetes-fleet.io), and the provider configuration does not say who places. " +
				"Set the provider argument engine to \"kubefleet\" to have the hub do it, or to \"direct\" to have the provider do it beside the hub")
		}
	}
	return nil
}
