package kubefleet

import (
	"context"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/predict"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// PreviewOverrides predicts which objects of existing placements a change of overrides changes. The result contains the placements whose objects change, and
// those for which the change cannot be predicted. It omits placements that are being deleted, and placements with strategy External. If a part of the change is
// unknown, PreviewOverrides returns an error.
func (e *Engine) PreviewOverrides(ctx context.Context, change engine.World) (engine.OverridePreview, error) {
	if unknown := change.Unknown(); len(unknown) > 0 {
		return engine.OverridePreview{}, engine.UnknownOverrides(unknown)
	}
	ctx = kube.ShareReads(ctx)
	placements, err := e.existingPlacements(ctx)
	if err != nil {
		return engine.OverridePreview{}, err
	}
	var out engine.OverridePreview
	for _, p := range placements {
		one := engine.OverriddenPlacement{Placement: p.Reference.String()}
		if one.Clusters, one.Err = predict.Overridden(ctx, e.clusters, p, change); one.Err != nil || len(one.Clusters) > 0 {
			out.Placements = append(out.Placements, one)
		}
	}
	return out, nil
}
