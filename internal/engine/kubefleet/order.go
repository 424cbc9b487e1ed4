package kubefleet

import (
	"context"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/predict"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// prepare makes it safe to write a new apply strategy, and returns the placement on the hub. A hub uses a new strategy immediately for the content that its
// members have, even if the same change removes or replaces that content. If an agent would take over an object that the plan does not show, prepare
// first writes the rest of the change with a strategy that takes nothing over. Then it waits until the hub has rolled that out.
// If the hub has not done so in time, prepare returns an error with the result so far, and the caller must not write the strategy.
func (e *Engine) prepare(ctx context.Context, change followed, found *predict.Prediction, live *unstructured.Unstructured) (
	prepared *unstructured.Unstructured, unprepared *engine.Result, err error,
) {
	premature, err := found.Premature(ctx, e.clusters)
	if len(premature) == 0 || err != nil {
		return live, nil, err
	}
	first := change
	first.placement.Spec = withoutTakeover(change.placement.Spec, found)
	first.options.WaitUntilAvailable = false
	want, err := e.encodePlacement(ctx, first.placement)
	if err != nil {
		return nil, nil, err
	}
	stored, err := hub.Put(ctx, e.clusters.Hub, want, live)
	if err != nil {
		return nil, nil, err
	}
	first.generation = stored.GetGeneration()
	result, err := e.follow(ctx, first)
	if err != nil {
		return nil, result, err
	}
	began := time.Now()
	var again *predict.Prediction
	_, _ = controlplane.Poll(ctx, e.pace.Pace, func(ctx context.Context) (bool, error) {
		again, err = predict.New(ctx, e.clusters, change.placement, engine.PreviewOptions{Expected: change.options.Expected, Applying: true})
		if err == nil {
			premature, err = again.Premature(ctx, e.clusters)
		}
		return err == nil && len(premature) == 0 || time.Since(began) > e.pace.Retry, nil
	})
	if err != nil || len(premature) > 0 {
		return nil, result, errUnprepared(premature, err)
	}
	if err := change.options.Expected.Verify(again.Preview()); err != nil {
		return nil, result, err
	}
	_, prepared, err = hub.Placement(ctx, e.clusters.Hub, change.placement.Reference)
	return prepared, nil, err
}

// withoutTakeover returns a specification with the apply strategy of the placement on the hub, changed so that agents take nothing over.
func withoutTakeover(spec placement.Spec, found *predict.Prediction) placement.Spec {
	how := *convert.ToPlacementSpec(found.Fleet.Placement.Spec).Defaulted().Strategy.ApplyStrategy
	how.WhenToTakeOver = placement.TakeOverNever
	strategy := placement.Strategy{}
	if spec.Strategy != nil {
		strategy = *spec.Strategy
	}
	strategy.ApplyStrategy = &how
	spec.Strategy = &strategy
	return spec
}

func errUnprepared(premature []predict.Premature, err error) error {
	if err != nil {
		return fmt.Errorf("strategy.apply_strategy is not changed on the hub yet, because the provider could not check what the change does to objects that "+
			"the hub has yet to remove or replace: %w. Apply again", err)
	}
	first := premature[0]
	what := fmt.Sprintf("%s on cluster %q", first.Identifier, first.Cluster)
	if n := len(premature) - 1; n > 0 {
		what += fmt.Sprintf(" and %d more", n)
	}
	return fmt.Errorf("strategy.apply_strategy is not changed on the hub yet. Everything else is, with when_to_take_over = %q. The hub has not removed or "+
		"replaced all of what it placed before, and with the new apply_strategy it would take over %s, which the plan does not show. Apply again once the "+
		"rollout has advanced", placement.TakeOverNever, strings.TrimSpace(what))
}
