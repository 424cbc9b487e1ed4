package plan

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/applyset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// GiverRecord is a giver's record on one member. A giver is a placement that this placement takes objects over from. This placement cannot verify the record,
// because only the giver's state has the key. The giver's plan verifies it; see [Plan.confirm].
type GiverRecord struct {
	engine.Giver
	Inventory *record.Inventory
}

// addGiver adds the record of another placement if this placement takes objects over from it. It ignores a record of another cluster, and a record that cannot
// be decoded: if a resource manages the other placement, its plan returns the error.
func (m *MemberState) addGiver(u *unstructured.Unstructured, p engine.Placement) {
	i := slices.IndexFunc(p.TakesOverFrom, func(g engine.Giver) bool { return record.InventoryName(g.Name) == u.GetName() })
	if i < 0 {
		return
	}
	if known, err := record.DecodeInventory(u); err == nil && known.ClusterUID == m.UID {
		m.Givers = append(m.Givers, GiverRecord{Giver: p.TakesOverFrom[i], Inventory: known})
	}
}

// given returns how a giver hands an object over, according to the records of the givers, or nil if no giver owns the object.
func (m *MemberState) given(o *memberpreview.Object) *engine.Given {
	_, given := m.givenBy(o)
	return given
}

func (m *MemberState) givenBy(o *memberpreview.Object) (record.Entry, *engine.Given) {
	for _, giver := range m.Givers {
		if applyset.PartOf(o.Live) != record.ApplySetID(giver.Name) {
			continue
		}
		// The entry of an interrupted creation has no UID: then the label identifies the giver's object.
		entry, known := giver.Inventory.Entry(o.Key())
		if known && !entry.Released && (entry.UID == "" || entry.UID == string(o.Live.GetUID())) {
			return entry, &engine.Given{From: giver.Name, UID: o.Live.GetUID(), Created: !entry.Adopted, Removed: giver.Removed}
		}
	}
	return record.Entry{}, nil
}

// givenEntry returns the entry, before the write, of an object that is taken over from another placement. The object counts as created by this placement if the
// giver created it.
func (c *Cluster) givenEntry(i *Item) *record.Entry {
	theirs, _ := c.givenBy(&i.Object)
	return &record.Entry{Identifier: i.Identifier, UID: string(i.Live.GetUID()), Adopted: theirs.Adopted, Lost: theirs.Lost}
}

// Relabels reports whether the only change of an object is its owner: the giving placement applied the same content, and the object is unchanged since.
func (c *Cluster) Relabels(i *Item) bool {
	if i.Action != takeover.ActionTakeOverFrom {
		return false
	}
	theirs, _ := c.givenBy(&i.Object)
	return manifest.SameHash(theirs.Hash, i.Hash) && manifest.SameHash(theirs.LiveHash, diff.Hash(i.Live))
}

// Settled returns theirs, the record of a giver, without the entries that no apply of the giver will remove. These are entries of objects that this placement
// has taken over. If no resource manages the giver any more (Giver.Removed), Settled omits all of them. Otherwise, it omits only those for which the giver's
// removal has set HandedTo to this placement: the next apply of the giver removes the others. own is this placement's record on the cluster. changed reports
// whether the record on the cluster has to be updated to next, or deleted because next is empty.
func (c *Cluster) Settled(giver engine.Giver, theirs, own *record.Inventory) (next *record.Inventory, changed bool) {
	out := *theirs
	out.Objects = slices.DeleteFunc(slices.Clone(theirs.Objects), func(e record.Entry) bool {
		mine, has := own.Entry(e.Key())
		return has && mine.Hash != "" && (e.UID == "" || e.UID == mine.UID) && (giver.Removed || e.HandedTo == c.plan.Placement.Name)
	})
	return out.Indexed(), len(out.Objects) < len(theirs.Objects) || giver.Removed && len(theirs.Objects) == 0
}

// settlesGivers reports whether an apply has to update or delete the record of a giver, even if it takes no more objects over; see [Cluster.Settled].
func (c *Cluster) settlesGivers() bool {
	return slices.ContainsFunc(c.Givers, func(g GiverRecord) bool {
		_, changed := c.Settled(g.Giver, g.Inventory, c.Inventory)
		return changed
	})
}

// remaining returns the objects of removed givers that the placement does not place on the cluster.
func (p *Plan) remaining() []engine.Remaining {
	var out []engine.Remaining
	for _, c := range p.Clusters {
		placed := map[manifest.Key]bool{}
		for _, i := range c.Items {
			placed[i.Key()] = true
		}
		for _, giver := range c.Givers {
			for _, entry := range giver.Inventory.Objects {
				if giver.Removed && !entry.Released && !placed[entry.Key()] {
					out = append(out, engine.Remaining{From: giver.Name, Cluster: c.Name, Identifier: entry.Identifier})
				}
			}
		}
	}
	return out
}

// missingGivers returns the givers without a record on any checked cluster.
func (p *Plan) missingGivers() []string {
	var out []string
	for _, giver := range p.Placement.TakesOverFrom {
		if !slices.ContainsFunc(p.Clusters, func(c *Cluster) bool {
			return slices.ContainsFunc(c.Givers, func(g GiverRecord) bool { return g.Name == giver.Name })
		}) {
			out = append(out, giver.Name)
		}
	}
	return out
}
