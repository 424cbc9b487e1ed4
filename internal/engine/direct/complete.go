package direct

import (
	"context"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// complete writes the inventories as they are after the apply, when all clusters are done, and so takes the mark of an apply that is
// under way off. A cluster that was left out keeps its inventory as it is.
func (r *run) complete(ctx context.Context) error {
	return r.engine.onEach(ctx, r.plan.clusterNames(), func(ctx context.Context, name string) error {
		c := r.clusters[name]
		if !c.begun() {
			return nil
		}
		err := r.engine.completeOn(ctx, c, r.plan)
		switch {
		case kube.IsUnreachable(err):
			c.fall(reached(name, err)) // the status says so
			err = nil
		case kube.IsConflict(err):
			err = busy(name, r.plan.request.Name, err)
		}
		return err
	})
}

// begun tells whether objects may have been written since the inventory was.
func (c *clusterRun) begun() bool { return c.announced && c.blocked == nil }

func (e *Engine) completeOn(ctx context.Context, c *clusterRun, p *plan) error {
	next := c.completed(p)
	if !c.decision.Selected && len(next.Objects) == 0 {
		return c.forget(ctx, p.request.Name)
	}
	if c.inventory.HasManifests && !next.HasManifests {
		if err := c.forgetManifests(ctx, p.request.Name); err != nil {
			return err
		}
	}
	return e.writeInventory(ctx, c.clusterPlan, next)
}

// completed is the inventory after the apply.
func (c *clusterRun) completed(p *plan) *inventory {
	next := &inventory{head: c.head(p), Spec: p.request.Spec}
	for _, i := range c.items {
		if i.next == nil {
			continue
		}
		entry := *i.next
		if o := c.done[i]; o != nil && o.failure == nil && i.live != nil && i.Action != engine.ActionReport {
			entry.UID, entry.Hash, entry.LiveHash = string(i.live.GetUID()), i.hash, liveHash(i.live)
			if entry.ResourceVersion = ""; i.undisputed() {
				entry.ResourceVersion = i.live.GetResourceVersion()
			}
		}
		next.Objects = append(next.Objects, entry)
	}
	for _, i := range c.leftovers {
		if o := c.done[i]; o == nil || !o.gone {
			next.Objects = append(next.Objects, i.entry)
		}
	}
	return next
}
