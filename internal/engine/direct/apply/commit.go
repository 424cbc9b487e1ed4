package apply

import (
	"context"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/plan"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// commit writes the inventories as they are after the apply, when all clusters are done, and so takes the mark of an apply that is
// under way off. A cluster that was left out keeps its inventory as it is.
func (r *run) commit(ctx context.Context) error {
	return r.set.Each(ctx, r.plan.Names(), func(ctx context.Context, name string) error {
		c := r.clusters[name]
		var err error
		switch {
		case c.LeavesUnrecorded():
			err = c.forgetManifests(ctx) // nothing else of what is there is known to be the placement's own
		case c.begun():
			err = c.commit(ctx)
		}
		if kube.IsUnreachable(err) {
			c.MarkUnreachable(clusterset.Unreachable(name, err)) // the status says so
			err = nil
		}
		return err
	})
}

// begun tells whether objects may have been written since the inventory was.
func (c *cluster) begun() bool { return c.writtenAhead && c.blocked == nil }

// commit writes the cluster's inventory, unless another operation has taken the placement.
func (c *cluster) commit(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var err error
	if c.lost == nil {
		err = c.complete(ctx)
		c.marked = false
	}
	if c.lost != nil {
		return c.withdraw(ctx)
	}
	return err
}

func (c *cluster) complete(ctx context.Context) error {
	next := c.committed()
	if !c.Decision.Selected && len(next.Objects) == 0 {
		return c.forget(ctx)
	}
	if c.Inventory.HasManifests && !next.HasManifests {
		if err := c.forgetManifests(ctx); err != nil {
			return err
		}
	}
	if err := c.write(ctx, next); err != nil {
		return err
	}
	if next.Former() {
		c.Inventory, c.Former = nil, next // the placement is not on the cluster any more
		return nil
	}
	return c.settleGivers(ctx, next)
}

// committed is the inventory after the apply.
func (c *cluster) committed() *record.Inventory {
	var entries []record.Entry
	for _, i := range c.Items {
		ahead := c.entries[i]
		if ahead == nil {
			continue
		}
		entry := *ahead
		if o := c.Outcome(&i.Object); o != nil && o.Failure == nil && i.Live != nil && i.Action != takeover.ActionReport {
			entry.UID = string(i.Live.GetUID())
			entry.Hash = manifest.SaltedIfSecret(i.Identifier, i.Hash, entry.Hash)
			entry.LiveHash = manifest.SaltedIfSecret(i.Identifier, diff.Hash(i.Live), entry.LiveHash)
			if entry.ResourceVersion = ""; i.Undisputed() && c.Member.Ownership.Marked(&i.Object) {
				entry.ResourceVersion = i.Live.GetResourceVersion()
			}
		}
		entries = append(entries, entry)
	}
	return c.Committed(entries, func(i *plan.Item) bool {
		o := c.Outcome(&i.Object)
		return o == nil || !o.Gone
	})
}
