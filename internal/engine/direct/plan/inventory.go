package plan

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// Head is what the cluster's inventory is to say.
func (c *Cluster) Head() record.Head {
	want := c.plan.Head
	want.ClusterUID, want.Reason, want.Picked = c.UID, c.Decision.Reason, c.Decision.Selected
	if score := c.Decision.Score; score != nil {
		want.Scored, want.AffinityScore, want.TopologySpreadScore = true, score.Affinity, score.TopologySpread
	}
	return want
}

// WriteAhead is the inventory before the first object is written, with the mark of the apply that is going to.
func (c *Cluster) WriteAhead(mark *record.UnderWay) *record.Inventory {
	next := &record.Inventory{Head: c.Head(), Spec: c.plan.Placement.Spec, UnderWay: mark}
	if c.Inventory != nil {
		next.HasManifests = next.HasManifests || c.Inventory.HasManifests // until the Secret is removed
	}
	for _, i := range c.Items {
		if entry := c.EntryAhead(i); entry != nil {
			next.Objects = append(next.Objects, *entry)
		}
	}
	for _, i := range c.Prunable {
		next.Objects = append(next.Objects, i.Entry)
	}
	return next.Indexed()
}

// Announced says that the inventory is on the cluster: from now on objects are told by it.
func (c *Cluster) Announced(next *record.Inventory) { c.ownership.announced(c.Items, next) }

// EntryAhead is an item's entry before anything is written, nil for none: a takeover is recorded as one, with the UID of the object that
// was there.
func (c *Cluster) EntryAhead(i *Item) *record.Entry {
	entry := i.Entry
	entry.Identifier = i.Identifier
	switch i.Action {
	case takeover.ActionCreate:
		return &record.Entry{Identifier: i.Identifier}
	case takeover.ActionTakeOver:
		return &record.Entry{Identifier: i.Identifier, UID: string(i.Live.GetUID()), Adopted: true}
	case takeover.ActionUpdate, takeover.ActionNone:
		return c.ownEntry(i, entry)
	case takeover.ActionLeaveAlone, takeover.ActionLeaveDrifted, takeover.ActionReject, takeover.ActionReport, takeover.ActionPrune,
		takeover.ActionOrphan, takeover.ActionDefer, takeover.ActionUnknown:
		// It is not ours, unless it is one of ours that cannot be written or looked at now.
		if i.Known && i.Live == nil || i.Live != nil && c.Member.Ownership.Owns(&i.Object) {
			return c.ownEntry(i, entry)
		}
	}
	return nil
}

// ownEntry is the entry of an object of the placement's own, with its UID.
func (c *Cluster) ownEntry(i *Item, entry record.Entry) *record.Entry {
	if i.Live == nil {
		return &entry
	}
	if !i.Known || entry.UID != "" && entry.UID != string(i.Live.GetUID()) {
		entry.Adopted = true // ours by its mark, and made by nobody knows whom: it is not deleted later
	}
	entry.UID = string(i.Live.GetUID())
	return &entry
}
