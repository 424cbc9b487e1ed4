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

// Preview returns the changes that ApplyPlacement would make now.
func (e *Engine) Preview(ctx context.Context, p engine.Placement, options engine.PreviewOptions) (*engine.Preview, error) {
	ctx = kube.ShareReads(ctx)
	var before *plan.Plan
	if options.Replaces != nil {
		var err error
		if before, err = plan.Removal(ctx, e.clusters, *options.Replaces, plan.Options{
			Purpose: plan.Previewing, Run: options.Run, Takers: options.Takers, World: options.World.Assumptions(), Version: e.version,
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
		Purpose: plan.Previewing, Run: options.Run, Takers: options.Takers, World: options.World, Version: e.version,
	})
	if err != nil {
		return nil, err
	}
	return found.Preview(), nil
}

// ApplyPlacement computes the plan again and executes it. It returns an error for a placement that selects nothing, because such an apply would only remove the
// objects of the previous apply.
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

// planAfterRename returns a plan that passes check and is to be executed. If clusters have the placement under other names, it renames the placement there
// first and computes the plan again. The second result has the errors of the clusters on which the rename failed, or is nil if no rename was necessary.
func (e *Engine) planAfterRename(
	ctx context.Context, operation engine.Operation, plans func() (*plan.Plan, error), check func(*plan.Plan) error,
) (*plan.Plan, apply.RenameErrors, error) {
	var failed apply.RenameErrors
	for {
		found, err := e.planExclusively(ctx, plans)
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

// planExclusively returns a plan that is to be executed. If it finds the leases of other operations, it waits until these count as killed, and computes the plan
// again. It returns an error if another operation is alive.
func (e *Engine) planExclusively(ctx context.Context, plans func() (*plan.Plan, error)) (*plan.Plan, error) {
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

// DeletePlacement deletes the objects that the placement created according to its inventories, and orphans pre-existing objects. It deletes the inventory last,
// so that an interrupted deletion can be continued.
func (e *Engine) DeletePlacement(ctx context.Context, p engine.Placement, options engine.DeleteOptions) (*engine.Result, error) {
	found, failed, err := e.planAfterRename(ctx, engine.OperationRemoval, func() (*plan.Plan, error) {
		return plan.Removal(ctx, e.clusters, p, plan.Options{Purpose: plan.Applying, Run: options.Run, Expected: options.Expected, Version: e.version})
	}, func(*plan.Plan) error { return nil })
	if err != nil {
		return nil, err
	}
	return apply.Remove(ctx, e.clusters, found, apply.Options{Version: e.version, Pace: e.pace, RenameErrors: failed}, options.Run)
}
