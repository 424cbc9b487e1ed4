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

// GiverRecord is the record on a member of a placement that another one takes objects over from. The taking placement cannot verify it: the state of the
// giving placement alone has the key. The plan of the giving placement does, see [Plan.confirm].
type GiverRecord struct {
	engine.Giver
	Inventory *record.Inventory
}

// addGiver takes the record of another placement into account if the placement takes objects over from that one. A record that cannot be read gives
// nothing: the plan of its own placement returns the error.
func (m *MemberState) addGiver(u *unstructured.Unstructured, p engine.Placement) {
	i := slices.IndexFunc(p.TakesOverFrom, func(g engine.Giver) bool { return record.InventoryName(g.Name) == u.GetName() })
	if i < 0 {
		return
	}
	if known, err := record.DecodeInventory(u); err == nil && known.ClusterUID == m.UID {
		m.Givers = append(m.Givers, GiverRecord{Giver: p.TakesOverFrom[i], Inventory: known})
	}
}

// given returns what a giving placement has of an object on the member, nil if it does not have that very object.
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

// givenEntry is the entry of an object that is taken over from another placement, before it is written. What the giving placement created counts as created.
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

// Settled returns the record of a giving placement without the objects that this placement has taken over and whose entries no other operation removes:
// those that a removal has handed over, and all of a removed giver. own is this placement's record on the cluster.
func (c *Cluster) Settled(giver engine.Giver, theirs, own *record.Inventory) (next *record.Inventory, changed bool) {
	out := *theirs
	out.Objects = slices.DeleteFunc(slices.Clone(theirs.Objects), func(e record.Entry) bool {
		mine, has := own.Entry(e.Key())
		return has && mine.Hash != "" && (e.UID == "" || e.UID == mine.UID) && (giver.Removed || e.HandedTo == c.plan.Placement.Name)
	})
	return out.Indexed(), len(out.Objects) < len(theirs.Objects) || giver.Removed && len(theirs.Objects) == 0
}

// settlesGivers reports whether an apply has to remove objects from the record of a giving placement that it has taken over before.
func (c *Cluster) settlesGivers() bool {
	return slices.ContainsFunc(c.Givers, func(g GiverRecord) bool {
		_, changed := c.Settled(g.Giver, g.Inventory, c.Inventory)
		return changed
	})
}

// remaining are what removed givers have and the placement does not place on the cluster.
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

// missingGivers are the givers that no checked cluster has a record of.
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
