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

// commit writes the final inventories, without the lease, when all clusters are done. The inventory of a skipped cluster remains unchanged.
func (r *run) commit(ctx context.Context) error {
	return r.set.Each(ctx, r.plan.Names(), func(ctx context.Context, name string) error {
		c := r.clusters[name]
		var err error
		switch {
		case c.LeavesUnrecorded():
			err = c.removeManifests(ctx) // only the Secret with the manifests is known to belong to the placement
		case c.hasBegun():
			err = c.commit(ctx)
		}
		if kube.IsUnreachable(err) {
			c.MarkUnreachable(clusterset.Unreachable(name, err)) // reported in the status
			err = nil
		}
		return err
	})
}

// hasBegun reports whether objects may have been written after the inventory.
func (c *cluster) hasBegun() bool { return c.writtenAhead && c.blocked == nil }

// commit writes the cluster's final inventory. If another operation has taken over the placement, it calls withdraw instead.
func (c *cluster) commit(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var err error
	if c.lost == nil {
		err = c.complete(ctx)
		c.isMarked = false
	}
	if c.lost != nil {
		return c.withdraw(ctx)
	}
	return err
}

func (c *cluster) complete(ctx context.Context) error {
	next := c.finalInventory()
	if !c.Decision.Selected && len(next.Objects) == 0 {
		return c.removeRecord(ctx)
	}
	if c.Inventory.HasManifests && !next.HasManifests {
		if err := c.removeManifests(ctx); err != nil {
			return err
		}
	}
	if err := c.write(ctx, next); err != nil {
		return err
	}
	if next.Former() {
		c.Inventory, c.Former = nil, next // the placement has left the cluster
		return nil
	}
	return c.settleGivers(ctx, next)
}

// setLive sets the fields of an entry by which the next plan recognizes that the object has not changed since this apply.
func (c *cluster) setLive(entry *record.Entry, i *plan.Item) {
	before := entry.LiveHash
	entry.LiveHash, entry.ResourceVersion = "", ""
	if i.KeepsAutoscaled { // the next plan shows the autoscaled fields as changed
		return
	}
	entry.LiveHash = manifest.SaltedIfSecret(i.Identifier, diff.Hash(i.Live), before)
	if i.Undisputed() && c.Member.Ownership.Marked(&i.Object) {
		entry.ResourceVersion = i.Live.GetResourceVersion()
	}
}

func (c *cluster) finalInventory() *record.Inventory {
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
			// An ignored field can keep a former write-only value.
			entry.WriteOnly = c.plan.Content.IsWriteOnly(i.Identifier) || entry.WriteOnly && len(i.Ignored) > 0
			c.setLive(&entry, i)
		}
		entries = append(entries, entry)
	}
	return c.Committed(entries, func(i *plan.Item) bool {
		o := c.Outcome(&i.Object)
		return o == nil || !o.Gone
	})
}
