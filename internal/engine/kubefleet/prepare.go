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
// members have, even if the same change removes or replaces that content. If an agent would then take over or create an object that the plan does not show,
// prepare first writes the change with the current apply strategy and when_to_take_over = "Never". Then it waits until the hub has rolled that change out. If
// the hub has not rolled it out in time, prepare returns an error, and the caller must not write the new strategy. partialResult is the result of that first
// write, or nil if prepare has not written.
func (e *Engine) prepare(ctx context.Context, change rolloutChange, prediction *predict.Prediction, live *unstructured.Unstructured) (
	prepared *unstructured.Unstructured, partialResult *engine.Result, err error,
) {
	premature, err := prediction.Premature(ctx, e.clusters)
	if len(premature) == 0 || err != nil {
		return live, nil, err
	}
	first := change
	first.placement.Spec = withoutTakeover(change.placement.Spec, prediction)
	first.options.WaitUntilAvailable = false
	want, err := e.encodePlacement(ctx, first.placement)
	if err != nil {
		return nil, nil, err
	}
	stored, err := hub.Put(ctx, e.clusters.Hub, want, live)
	if stored == nil { // if the hub stored the object but dropped a field, ignore the error here: the write of the new strategy returns it
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
	return prepared, result, err
}

// withoutTakeover returns spec with the apply strategy of the placement on the hub, but with WhenToTakeOver set to Never.
func withoutTakeover(spec placement.Spec, prediction *predict.Prediction) placement.Spec {
	applyStrategy := *convert.ToPlacementSpec(prediction.Fleet.Placement.Spec).Defaulted().Strategy.ApplyStrategy
	applyStrategy.WhenToTakeOver = placement.TakeOverNever
	strategy := placement.Strategy{}
	if spec.Strategy != nil {
		strategy = *spec.Strategy
	}
	strategy.ApplyStrategy = &applyStrategy
	spec.Strategy = &strategy
	return spec
}

func errUnprepared(premature []predict.Premature, err error) error {
	if err != nil {
		return fmt.Errorf("strategy.apply_strategy is not changed on the hub yet. The hub still has to remove or replace objects, and the provider could not check "+
			"what the new strategy does to them: %w. Apply again", err)
	}
	first := premature[0]
	objects := fmt.Sprintf("%s on cluster %q", first.Identifier, first.Cluster)
	if n := len(premature) - 1; n > 0 {
		objects += fmt.Sprintf(" and %d more", n)
	}
	return fmt.Errorf("strategy.apply_strategy is not changed on the hub yet. The hub has all other changes, with when_to_take_over = %q. The hub has not removed "+
		"or replaced all earlier objects yet. With the new apply_strategy, its agents could take over or create %s, which the plan does not show. Apply again "+
		"once the rollout has advanced", placement.TakeOverNever, strings.TrimSpace(objects))
}
