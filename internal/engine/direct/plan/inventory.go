package plan

import (
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// Head returns the new head of the cluster's inventory.
func (c *Cluster) Head() record.Head {
	want := c.plan.Head
	want.ClusterUID, want.Reason, want.Picked = c.UID, c.Decision.Reason, c.Decision.Selected
	if score := c.Decision.Score; score != nil {
		want.Scored, want.AffinityScore, want.TopologySpreadScore = true, score.Affinity, score.TopologySpread
	}
	return want
}

// WriteAhead returns the inventory that is written before the first object, with the lease of the apply.
func (c *Cluster) WriteAhead(mark *record.Lease) *record.Inventory {
	next := &record.Inventory{Head: c.Head(), Spec: c.plan.Placement.Spec, Lease: mark}
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

// Committed returns the inventory after the apply, with the given entries of the items and the entries of the prunable objects that remain recorded. remains
// reports whether the entry of a prunable object remains unchanged: the apply did not reach the object, could not remove it, or deferred its removal.
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

// released returns the entries of the released objects, unless the placement returns to the cluster.
func (c *Cluster) released() []record.Entry {
	if c.Inventory == nil || c.Decision.Selected {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(c.Inventory.Objects), func(e record.Entry) bool { return !e.Released })
}

// release returns the entry of an object that the placement created and that remains when the placement leaves the cluster. If the placement picks the cluster
// again, it recognizes the object by this entry. The second result reports whether the object is such an object.
func (c *Cluster) release(i *Item) (entry record.Entry, is bool) {
	entry = i.Entry
	made := !entry.Adopted && entry.Hash != "" && i.Live != nil && entry.UID == string(i.Live.GetUID())
	if c.Decision.Selected || i.Action != takeover.ActionOrphan || !made {
		return entry, false
	}
	entry.Released, entry.LiveHash, entry.ResourceVersion = true, "", ""
	return entry, i.Obstacle == takeover.ObstacleLeft || i.Obstacle == takeover.ObstacleAbandoned
}

// Announced makes the plan identify the placement's objects by next, which has been written to the cluster.
func (c *Cluster) Announced(next *record.Inventory) { c.ownership.useInventory(c.Items, next) }

// EntryAhead returns the entry of an item before its object is written, or nil if the inventory must not list the object. A takeover is recorded with the UID
// of the pre-existing object.
func (c *Cluster) EntryAhead(i *Item) *record.Entry {
	entry := c.entryAhead(i)
	if entry != nil {
		entry.WriteOnly = c.hasWriteOnlyValues(i.Key()) || c.plan.Content.IsWriteOnly(i.Identifier)
	}
	return entry
}

// hasWriteOnlyValues reports whether the live object may have values from write-only manifests of an earlier apply. It checks the records of the placement, of
// the placement that is removed first, and of the placements that hand objects over.
func (c *Cluster) hasWriteOnlyValues(key manifest.Key) bool {
	records := []*record.Inventory{c.currentRecord(), c.replacedRecord}
	for _, giver := range c.Givers {
		records = append(records, giver.Inventory)
	}
	return slices.ContainsFunc(records, func(known *record.Inventory) bool {
		entry, _ := known.Entry(key)
		return entry.WriteOnly
	})
}

func (c *Cluster) entryAhead(i *Item) *record.Entry {
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
		// The object is not written. It has an entry only if it belongs to the placement: it is recorded and has no live object, or the placement owns the live
		// object.
		if i.Known && i.Live == nil || i.Live != nil && c.Member.Ownership.Owns(&i.Object) {
			return c.ownEntry(i, entry)
		}
	}
	return nil
}

// ownEntry returns the entry of one of the placement's own objects, with its UID.
func (c *Cluster) ownEntry(i *Item, entry record.Entry) *record.Entry {
	if i.Live == nil {
		return &entry
	}
	if !i.Known || entry.UID != "" && entry.UID != string(i.Live.GetUID()) {
		entry.Adopted, entry.Lost = true, entry.Lost || !i.Known // the object has the label, but its creator is unknown, so the object is never deleted
	}
	entry.UID = string(i.Live.GetUID())
	return &entry
}
