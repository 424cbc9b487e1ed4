package plan

import (
	"slices"

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
		if !i.Unrecorded {
			next.Objects = append(next.Objects, i.Entry)
		}
	}
	next.Objects = append(next.Objects, c.released()...)
	return next.Indexed()
}

// Committed is the inventory after the apply: what it has of the items, and what has come of the others. remains tells which of those could not
// be removed or given up.
func (c *Cluster) Committed(entries []record.Entry, remains func(*Item) bool) *record.Inventory {
	next := &record.Inventory{Head: c.Head(), Spec: c.plan.Placement.Spec, Objects: entries}
	for _, i := range c.Prunable {
		entry, released := c.release(i)
		switch {
		case i.Unrecorded:
		case remains(i):
			next.Objects = append(next.Objects, i.Entry)
		case released:
			next.Objects = append(next.Objects, entry)
		}
	}
	next.Objects = append(next.Objects, c.released()...)
	next.HasManifests = next.HasManifests && !next.Former()
	return next
}

// released are the entries of what was released when the placement left the cluster, while it is not to come back.
func (c *Cluster) released() []record.Entry {
	if c.Inventory == nil || c.Decision.Selected {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(c.Inventory.Objects), func(e record.Entry) bool { return !e.Released })
}

// release is the entry of an object that the placement has made and gives up with the whole cluster, so that it knows the object again when it
// comes back. What leaves the configuration is given up for good, and so is what is held back by what it would take with it.
func (c *Cluster) release(i *Item) (entry record.Entry, is bool) {
	entry = i.Entry
	made := !entry.Adopted && entry.Hash != "" && i.Live != nil && entry.UID == string(i.Live.GetUID())
	if c.Decision.Selected || i.Action != takeover.ActionOrphan || !made {
		return entry, false
	}
	entry.Released, entry.LiveHash, entry.ResourceVersion = true, "", ""
	return entry, i.Obstacle == takeover.ObstacleLeft || i.Obstacle == takeover.ObstacleAbandoned
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
	case takeover.ActionTakeOverFrom:
		return c.givenEntry(i)
	case takeover.ActionUpdate, takeover.ActionNone:
		entry.Released = false
		return c.ownEntry(i, entry)
	case takeover.ActionLeaveAlone, takeover.ActionLeaveDrifted, takeover.ActionReject, takeover.ActionReport, takeover.ActionReplace, takeover.ActionPrune,
		takeover.ActionOrphan, takeover.ActionHandOver, takeover.ActionDefer, takeover.ActionUnknown:
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
		entry.Adopted, entry.Lost = true, entry.Lost || !i.Known // ours by its mark, and made by nobody knows whom: it is not deleted later
	}
	entry.UID = string(i.Live.GetUID())
	return &entry
}
