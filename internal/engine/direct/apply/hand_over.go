package apply

import (
	"context"
	"fmt"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/plan"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// keepHandedRecord concludes a removal on a cluster where other placements have not yet taken over all objects that the plan hands over. It writes a record
// that lists only the objects that are still to be taken over, so that the taking placements can determine who created them. If there are no such objects,
// keepHandedRecord does nothing.
func (c *cluster) keepHandedRecord(ctx context.Context) error {
	next := c.Handed(func(i *plan.Item) bool {
		o := c.Outcome(&i.Object)
		return o != nil && o.Failure == nil && !o.Gone
	})
	if next == nil {
		return nil
	}
	if c.Inventory.HasManifests {
		if err := c.removeManifests(ctx); err != nil {
			return err
		}
	}
	if err := c.write(ctx, next); err != nil {
		return err
	}
	c.Inventory = nil
	return nil
}

// settleGivers updates the records of the givers, the placements that handed objects over: it removes the entries of the objects that this placement has taken
// over. See [plan.Cluster.Settled]. It deletes a record that has no objects left.
func (c *cluster) settleGivers(ctx context.Context, own *record.Inventory) error {
	for _, giver := range c.Givers {
		if err := c.settleGiver(ctx, giver, own); err != nil {
			return fmt.Errorf("cluster %q: the objects taken over from the placement %q could not be removed from its record: %w", c.Name, giver.Name, err)
		}
	}
	return nil
}

// maxSettleAttempts is the number of attempts to write the record of a giver if other clients change the record at the same time.
const maxSettleAttempts = 4

func (c *cluster) settleGiver(ctx context.Context, giver plan.GiverRecord, own *record.Inventory) error {
	for attempt := 1; ; attempt++ {
		live, err := record.Find(ctx, c.Client, record.ConfigMapKind, record.InventoryName(giver.Name))
		if err != nil || live == nil {
			return err
		}
		theirs, err := record.DecodeInventory(live)
		if err != nil {
			return err
		}
		next, changed := c.Settled(giver.Giver, theirs, own.Indexed())
		if !changed {
			return nil
		}
		err = c.putGiver(ctx, giver.Name, theirs, next)
		if !kube.IsConflict(err) || attempt == maxSettleAttempts {
			return err
		}
	}
}

// putGiver writes the record of a giver without a signature, because the taking placement does not have the key. It deletes a record that has no objects.
func (c *cluster) putGiver(ctx context.Context, name string, theirs, next *record.Inventory) error {
	if len(next.Objects) > 0 {
		want, err := next.Encode(c.version)
		if err != nil {
			return err
		}
		record.Sign(want, nil, c.UID)
		_, err = record.Put(ctx, c.Client, want, theirs.Live)
		return err
	}
	if err := c.removeManifestsOf(ctx, name); err != nil {
		return err
	}
	return c.removeUnchanged(ctx, theirs)
}
