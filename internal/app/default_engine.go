package app

import (
	"context"
	"errors"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/kubefleetapi"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// defaultEngine is the engine of a configuration that has a hub and does not name an engine. If KubeFleet runs on that hub, defaultEngine rejects new
// placements until the user names an engine: a user rarely wants the provider to place objects directly beside a hub that places objects too.
type defaultEngine struct {
	engine.Engine

	hub *kube.Cluster
}

func (u defaultEngine) Preview(ctx context.Context, p engine.Placement, options engine.PreviewOptions) (*engine.Preview, error) {
	if options.Create {
		if err := u.checkHub(ctx); err != nil {
			return nil, err
		}
	}
	return u.Engine.Preview(ctx, p, options)
}

func (u defaultEngine) ApplyPlacement(ctx context.Context, p engine.Placement, options engine.ApplyOptions) (*engine.Result, error) {
	if options.Create {
		if err := u.checkHub(ctx); err != nil {
			return nil, err
		}
	}
	return u.Engine.ApplyPlacement(ctx, p, options)
}

// checkHub returns an error if the hub serves KubeFleet's placements. It returns nil if the kinds of the hub cannot be listed: operations that need the hub
// report the problem.
func (u defaultEngine) checkHub(ctx context.Context) error {
	kinds, err := u.hub.Kinds(ctx)
	if err != nil {
		return nil //nolint:nilerr // see above
	}
	for _, kind := range kinds {
		if kind.Group == kubefleetapi.PlacementGroup && kind.Kind == "ClusterResourcePlacement" {
			return errors.New("KubeFleet runs on the hub (it serves " + kubefleetapi.PlacementGroup + "), and the provider configuration does not set an engine. " +
				"Set the provider argument engine to \"kubefleet\" to let the hub place objects, or to \"direct\" to let the provider place them")
		}
	}
	return nil
}
