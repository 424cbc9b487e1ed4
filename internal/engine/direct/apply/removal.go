package apply

import (
	"context"
	"errors"
	"fmt"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/plan"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Remove carries the removal of a whole placement out. run is that of [engine.DeleteOptions].
func Remove(ctx context.Context, clusters *clusterset.Set, p *plan.Plan, options Options, run engine.SameRun) (*engine.Result, error) {
	r := newRun(clusters, p, options, engine.OperationRemoval)
	r.blockMisnamed()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer r.keepAlive(ctx, cancel)()
	closing := func(work func(context.Context) error) error {
		ctx, end := context.WithTimeout(context.WithoutCancel(ctx), closingTime)
		defer end()
		return work(ctx)
	}
	err := clusters.Each(ctx, p.Names(), func(ctx context.Context, name string) error { return r.clusters[name].announce(ctx) })
	if err == nil {
		err = clusters.Each(ctx, p.Names(), func(ctx context.Context, name string) error { return r.clusters[name].removeAll(ctx) })
		err = errors.Join(err, r.removeOccupied(ctx, run))
	}
	if err != nil {
		_ = closing(func(ctx context.Context) error {
			return clusters.Each(ctx, p.Names(), func(ctx context.Context, name string) error { return r.clusters[name].release(ctx) })
		})
	}
	return &engine.Result{Warnings: append(r.leftBehind(), r.spared()...)}, err
}

// leftBehind tells of members that nothing could be removed from and that do not fail the deletion either.
func (r *run) leftBehind() []string {
	var out []string
	for _, c := range r.plan.Clusters {
		prior := r.clusters[c.Name].prior()
		switch {
		case c.Client == nil && prior.HadObjects():
			out = append(out, fmt.Sprintf("The provider has no connection to the member %q any more: the objects that "+
				"the placement %q has there were left behind, with its inventory %s/%s.", c.Name, r.plan.Placement.Name, record.Namespace,
				record.InventoryName(r.plan.Placement.Name)))
		case c.Client != nil && c.Err != nil && prior.Conditions != nil && !r.clusters[c.Name].hasObjects():
			out = append(out, fmt.Sprintf("The member %q could not be checked, and is not known to have objects of the placement %q. If an apply "+
				"that was killed has left some there, they were left behind. %s", c.Name, r.plan.Placement.Name, c.Err))
		}
	}
	return out
}

// hasObjects tells whether the cluster has objects of the placement, as far as the last status or, if they could be read, its records know.
func (c *cluster) hasObjects() bool { return c.prior().HadObjects() || len(c.Prunable) > 0 }

// removeAll removes everything from one cluster, except for Namespaces and definitions that other placements occupy. A member that never had the placement
// has nothing to clean up, whether it answers or not.
func (c *cluster) removeAll(ctx context.Context) error {
	if c.blocked != nil {
		return c.blocked
	}
	c.mu.Lock()
	recorded := c.Inventory != nil
	c.mu.Unlock()
	c.ExamineRemoval(ctx)
	if err := c.taken(); err != nil {
		return err
	}
	switch {
	case recorded && ctx.Err() != nil:
		return fmt.Errorf("the removal ended before the cluster %q had been looked at, and nothing was removed there: %w", c.Name, context.Cause(ctx))
	case c.Client == nil || c.Err != nil && !c.hasObjects():
		return nil
	case c.Err != nil:
		return c.Err
	case !recorded && (c.RecordLost || c.prior().HadObjects()):
		// Nobody can tell any more what the placement made there, so nothing is deleted but what is a record itself.
		return clusterset.Unreachable(c.Name, c.forgetManifests(ctx))
	case !recorded:
		return nil
	}
	c.prune(ctx, c.Prunable)
	if len(c.Occupied()) > 0 {
		return nil // see removeOccupied
	}
	return c.concludeRemoval(ctx)
}

// concludeRemoval removes the record of a cluster that nothing of the placement is left on. It returns an error if something is.
func (c *cluster) concludeRemoval(ctx context.Context) error {
	if err := c.taken(); err != nil {
		return err
	}
	failed := &engine.RemovalError{Cluster: c.Name}
	for _, i := range c.Prunable {
		o := c.Outcome(&i.Object)
		deferred := i.Action == takeover.ActionDefer
		if o == nil || o.Failure != nil || deferred {
			condition := placement.Condition{Type: placement.Applied, Status: placement.Unknown}
			switch {
			case deferred:
				condition.Message = "The object was not deleted: " + i.Problem
			case o != nil:
				condition = *o.Failure
			}
			failed.Objects = append(failed.Objects, placement.FailedPlacement{Identifier: i.Identifier, Condition: condition})
		}
	}
	if len(failed.Objects) > 0 {
		return failed
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.marked = false
	if err := c.leaveHanded(ctx); err != nil || c.Inventory == nil {
		return clusterset.Unreachable(c.Name, err)
	}
	err := c.forget(ctx)
	if kube.IsUnreachable(err) && ctx.Err() == nil {
		err = c.forget(ctx) // the answer got lost, or the request did
	}
	return clusterset.Unreachable(c.Name, err)
}
