package kubefleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/predict"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// maxPreviews is how many placements are previewed at a time.
const maxPreviews = 4

// PreviewChange predicts every placement on the hub, without the change and with it. Placements of strategy External are left out: a hub changes nothing of
// them until the next staged update run.
func (e *Engine) PreviewChange(ctx context.Context, change engine.World, expected engine.Expectations) ([]engine.Consequence, error) {
	if expected != nil { // an apply must not compare with what its plan has read
		e.clusters.Forget()
	}
	ctx = kube.ShareReads(ctx)
	placements, err := e.existingPlacements(ctx)
	if err != nil {
		return nil, err
	}
	if unknown := change.Unknown(); len(unknown) > 0 &&
		slices.ContainsFunc(placements, func(p engine.Placement) bool { return predict.MayReach(p, change) }) {
		return nil, fmt.Errorf("part of the configuration is known only after apply: %s. The apply ends before it writes this if the hub would take over or delete "+
			"objects of existing placements because of it. A plan after that shows these objects", strings.Join(unknown, ", "))
	}
	found := make([]engine.Consequence, len(placements))
	group := errgroup.Group{}
	group.SetLimit(maxPreviews)
	for i, p := range placements {
		group.Go(func() error {
			name := p.Reference.String()
			options := engine.PreviewOptions{World: change, Expected: expected.Of(name), Applying: expected != nil}
			preview, err := predict.Change(ctx, e.clusters, p, options)
			found[i] = engine.Consequence{Placement: name, Preview: preview, Err: err}
			return nil
		})
	}
	_ = group.Wait() // errors are in the results
	if err := clusterset.Ended(ctx); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(found, func(c engine.Consequence) bool { return c.Preview == nil && c.Err == nil }), nil
}

// existingPlacements returns the placements that the hub carries out by itself.
func (e *Engine) existingPlacements(ctx context.Context) ([]engine.Placement, error) {
	var out []engine.Placement
	for _, namespace := range []string{"", "any"} {
		kind := hub.KindsOf(engine.Reference{Namespace: namespace}).Placement
		found, err := hub.List[wire.ClusterResourcePlacement](ctx, e.clusters.Hub, kind, "", "")
		if _, missing := errors.AsType[*engine.NotServedError](err); missing {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, p := range found {
			spec := convert.ToPlacementSpec(p.Spec)
			if p.DeletionTimestamp != nil || spec.Defaulted().Strategy.Type == placement.ExternalStrategy {
				continue
			}
			status := convert.PlacementStatus(p.Status, p.Spec.Policy)
			status.UID = string(p.UID)
			out = append(out, engine.Placement{Reference: engine.Reference{Namespace: p.Namespace, Name: p.Name}, Spec: spec, Prior: &status})
		}
	}
	slices.SortFunc(out, func(a, b engine.Placement) int { return strings.Compare(a.Reference.String(), b.Reference.String()) })
	return out, nil
}
