package plan

import (
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// handedTo calls [engine.Takers.HandedTo] for an object on the cluster.
func (c *Cluster) handedTo(i *Item) (to, why string) {
	return c.plan.options.Takers.HandedTo(c.plan.options.Expected, c.Name, i.Key())
}

// handsOver reports whether the record has objects that now belong to another ApplySet, or that another placement takes over in this run.
func (c *Cluster) handsOver() bool {
	return slices.ContainsFunc(c.Prunable, func(i *Item) bool {
		return i.Action == takeover.ActionHandOver || i.Action == takeover.ActionNone && i.Obstacle == takeover.ObstacleForeignOwner
	})
}

// confirm returns an error if another placement takes over objects and the records of this placement do not confirm this: they could not be read, do not list
// the objects, or differ on who created the objects. The other placement has read these records, but cannot verify them.
func (p *Plan) confirm() error {
	for _, c := range p.Clusters {
		by := map[string][]manifest.Key{}
		for key, taken := range p.options.Takers.On(c.Name) {
			if !c.confirms(key, taken) {
				by[taken.By] = append(by[taken.By], key)
			}
		}
		for _, taker := range p.options.Takers {
			if len(by[taker.Name]) > 0 {
				return &engine.UnconfirmedError{Giver: p.Placement.Name, Taker: taker.Name, Cluster: c.Name, Objects: by[taker.Name], Why: c.unconfirmed()}
			}
		}
	}
	return nil
}

func (c *Cluster) confirms(key manifest.Key, taken engine.Taken) bool {
	entry, known := c.Inventory.Entry(key)
	return c.Err == nil && known && !entry.Released && (entry.UID == "" || entry.UID == string(taken.UID)) && taken.Created == !entry.Adopted
}

// unconfirmed returns, as a clause, why the record on the cluster does not confirm a takeover.
func (c *Cluster) unconfirmed() string {
	switch {
	case c.Err != nil:
		return c.Err.Error()
	case c.Inventory.IsUnproven():
		return c.RecordProblem()
	case c.Inventory == nil:
		return "the " + RecordName(c.plan.Placement.Name) + " is missing there"
	default:
		return "the " + RecordName(c.plan.Placement.Name) + " has changed during this plan, or does not show that the placement created its objects"
	}
}

// Handed returns the record that remains after a removal. The record lists the objects that other placements are to take over and have not taken over yet.
// Handed returns nil if there are no such objects. remains reports whether the placement still owns such an object.
func (c *Cluster) Handed(remains func(*Item) bool) *record.Inventory {
	out := &record.Inventory{Head: c.Inventory.Head, Spec: c.Inventory.Spec}
	out.Picked, out.HasManifests, out.Reason = false, false, "the placement was removed, and its objects are handed over"
	for _, i := range c.Prunable {
		if i.Action == takeover.ActionHandOver && remains(i) {
			entry := i.Entry
			entry.HandedTo = i.To
			out.Objects = append(out.Objects, entry)
		}
	}
	if len(out.Objects) == 0 {
		return nil
	}
	return out.Indexed()
}
