package predict

import (
	"context"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
)

// Overridden returns the clusters of an existing placement on which a change of overrides changes objects, or on which the effects of the overrides cannot be
// computed.
func Overridden(ctx context.Context, clusters *clusterset.Set, p engine.Placement, change engine.World) ([]engine.OverriddenCluster, error) {
	if affected, err := affected(ctx, clusters, p, change); err != nil || !affected {
		return nil, err
	}
	found, err := predict(ctx, clusters, p, engine.PreviewOptions{}, hub.ReadAll)
	if err != nil {
		return nil, err
	}
	after := change.Overridden(found.Overrides)
	var out []engine.OverriddenCluster
	for _, c := range found.Clusters {
		if !c.placed {
			continue
		}
		one := engine.OverriddenCluster{Name: c.Name}
		cluster := override.Cluster{Name: c.Name, Labels: c.labels()}
		one.Objects, one.Err = found.Content.Effects(clusters.Schema, p.Reference.String(), cluster, found.Overrides, after)
		if one.Err != nil || len(one.Objects) > 0 {
			out = append(out, one)
		}
	}
	return out, nil
}
