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

// Remove executes the removal of a whole placement. run is from [engine.DeleteOptions].
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
	return &engine.Result{Warnings: append(r.leftBehindWarnings(), r.retainedWarnings()...), Removed: r.removed()}, err
}

// removed returns the names of the clusters from which the placement has been removed completely.
func (r *run) removed() []string {
	var out []string
	for _, name := range r.plan.Names() {
		if r.clusters[name].isRemoved {
			out = append(out, name)
		}
	}
	return out
}

// leftBehindWarnings returns warnings for members from which nothing could be removed, although the removal returns no error for them.
func (r *run) leftBehindWarnings() []string {
	var out []string
	for _, c := range r.plan.Clusters {
		prior := r.clusters[c.Name].prior()
		switch {
		case c.Client == nil && prior.HadObjects():
			out = append(out, fmt.Sprintf("The provider no longer has a connection to the member %q: the objects of the placement %q remain there, "+
				"with its inventory %s/%s.", c.Name, r.plan.Placement.Name, record.Namespace,
				record.InventoryName(r.plan.Placement.Name)))
		case c.Client != nil && c.Err != nil && prior.Conditions != nil && !r.clusters[c.Name].hasObjects():
			out = append(out, fmt.Sprintf("The member %q could not be checked, and is not known to have objects of the placement %q. If a "+
				"killed apply created objects there, they remain. %s", c.Name, r.plan.Placement.Name, c.Err))
		}
	}
	return out
}

func (c *cluster) hasObjects() bool { return c.prior().HadObjects() || len(c.Prunable) > 0 }

// removeAll removes all objects from one cluster, except Namespaces and definitions that other placements occupy. It returns nil for a member without a
// connection, and for an unreachable member that is not known to have objects.
func (c *cluster) removeAll(ctx context.Context) error {
	if c.blocked != nil {
		return c.blocked
	}
	c.mu.Lock()
	recorded := c.Inventory != nil
	c.mu.Unlock()
	c.ExamineRemoval(ctx)
	if err := c.lostError(); err != nil {
		return err
	}
	switch {
	case recorded && ctx.Err() != nil:
		return fmt.Errorf("the removal ended before the cluster %q was checked, and nothing was removed there: %w", c.Name, context.Cause(ctx))
	case c.Client == nil || c.Err != nil && !c.hasObjects():
		return nil
	case c.Err != nil:
		return c.Err
	case !recorded && (c.RecordLost || c.prior().HadObjects()):
		// It is unknown which objects the placement created there, so only the Secret with the manifests is deleted.
		return clusterset.Unreachable(c.Name, c.removeManifests(ctx))
	case !recorded:
		return nil
	}
	c.prune(ctx, c.Prunable)
	if len(c.Occupied()) > 0 {
		return nil // see removeOccupied
	}
	return c.concludeRemoval(ctx)
}

// concludeRemoval removes the record of the placement from a cluster, unless keepHandedRecord keeps it. It returns an error if objects could not be removed.
func (c *cluster) concludeRemoval(ctx context.Context) error {
	if err := c.lostError(); err != nil {
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
	c.isMarked = false
	if err := c.keepHandedRecord(ctx); err != nil || c.Inventory == nil {
		return clusterset.Unreachable(c.Name, err)
	}
	err := c.removeRecord(ctx)
	if kube.IsUnreachable(err) && ctx.Err() == nil {
		err = c.removeRecord(ctx) // the response or the request was lost
	}
	c.isRemoved = err == nil && !c.RecordLost && len(c.Unrecorded())+len(c.UnsearchedKinds) == 0
	return clusterset.Unreachable(c.Name, err)
}
