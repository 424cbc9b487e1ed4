package direct

import (
	"cmp"
	"context"
	"errors"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/apply"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/plan"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Preview tells what ApplyPlacement would do now.
func (e *Engine) Preview(ctx context.Context, p engine.Placement, options engine.PreviewOptions) (*engine.Preview, error) {
	ctx = kube.ShareReads(ctx)
	var before *plan.Plan
	if options.Replaces != nil {
		var err error
		if before, err = plan.Removal(ctx, e.clusters, *options.Replaces, plan.Options{
			Purpose: plan.Previewing, Takers: options.Takers, Version: e.version,
		}); err != nil {
			return nil, err
		}
	}
	found, err := plan.New(ctx, e.clusters, p, plan.Options{
		Replaces: before,
		Purpose:  plan.Previewing, Create: options.Create, World: options.World, Expected: options.Expected, Takers: options.Takers, Version: e.version,
	})
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(found.Fits(), found.Renames()); err != nil {
		return nil, err
	}
	return found.Preview(), nil
}

// PreviewDelete previews DeletePlacement.
func (e *Engine) PreviewDelete(ctx context.Context, p engine.Placement, options engine.DeleteOptions) (*engine.Preview, error) {
	found, err := plan.Removal(kube.ShareReads(ctx), e.clusters, p, plan.Options{
		Purpose: plan.Previewing, Run: options.Run, Takers: options.Takers, Version: e.version,
	})
	if err != nil {
		return nil, err
	}
	return found.Preview(), nil
}

// ApplyPlacement makes the preview again and carries it out. A placement that selects nothing at all is refused: it would only remove
// everything an earlier apply placed.
func (e *Engine) ApplyPlacement(ctx context.Context, p engine.Placement, options engine.ApplyOptions) (*engine.Result, error) {
	found, failed, err := e.planAfterRename(ctx, engine.OperationApply, func() (*plan.Plan, error) {
		return plan.New(ctx, e.clusters, p, plan.Options{
			Purpose: plan.Applying, Create: options.Create, Expected: options.Expected, AwaitsKinds: options.MayArrive != nil, Version: e.version,
		})
	}, func(found *plan.Plan) error {
		var err error
		if len(found.Content.Objects) == 0 {
			err = &engine.NothingSelectedError{Placement: p.Name}
		}
		return errors.Join(err, found.Picks(), found.Fits())
	})
	if err != nil {
		return nil, err
	}
	return apply.Apply(ctx, e.clusters, found, apply.Options{ApplyOptions: options, Version: e.version, Pace: e.pace, RenameErrors: failed})
}

// planAfterRename makes a plan that is to be carried out and passes check. Where the clusters have the placement under other names, they are given its name first,
// and the plan is made again: what it says of objects is as the plan without names has it.
func (e *Engine) planAfterRename(
	ctx context.Context, operation engine.Operation, plans func() (*plan.Plan, error), check func(*plan.Plan) error,
) (*plan.Plan, apply.RenameErrors, error) {
	var failed apply.RenameErrors
	for {
		found, err := e.alone(ctx, plans)
		if err == nil {
			err = errors.Join(check(found), found.Renames())
		}
		if err != nil || failed != nil || len(found.MisnamedClusters()) == 0 {
			return found, failed, err
		}
		if failed, err = apply.Rename(ctx, e.clusters, found, apply.Options{Version: e.version, Pace: e.pace}, operation); err != nil {
			return nil, nil, err
		}
	}
}

// alone makes a plan that is to be carried out. One that meets the marks of other operations is made again once those have proven to be dead.
func (e *Engine) alone(ctx context.Context, plans func() (*plan.Plan, error)) (*plan.Plan, error) {
	dead := map[string]bool{}
	for {
		found, err := plans()
		if err != nil {
			return nil, err
		}
		waited, err := apply.AwaitOthers(ctx, e.clusters, found, e.pace, dead)
		if err != nil || !waited {
			return found, err
		}
	}
}

// DeletePlacement removes everything the inventories name: it deletes what the placement made and orphans what was there before. The
// inventory goes last, so that a deletion that was interrupted can be taken up again.
func (e *Engine) DeletePlacement(ctx context.Context, p engine.Placement, options engine.DeleteOptions) (*engine.Result, error) {
	found, failed, err := e.planAfterRename(ctx, engine.OperationRemoval, func() (*plan.Plan, error) {
		return plan.Removal(ctx, e.clusters, p, plan.Options{Purpose: plan.Applying, Run: options.Run, Expected: options.Expected, Version: e.version})
	}, func(*plan.Plan) error { return nil })
	if err != nil {
		return nil, err
	}
	return apply.Remove(ctx, e.clusters, found, apply.Options{Version: e.version, Pace: e.pace, RenameErrors: failed}, options.Run)
}
