package plan

import (
	"fmt"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/applyset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// findPrunable lists what the inventory has and the placement no longer wants here.
func (c *Cluster) findPrunable() []*Item {
	if c.Inventory == nil {
		return nil
	}
	wanted := map[manifest.Key]bool{}
	for _, i := range c.Items {
		wanted[i.Key()] = true
	}
	var out []*Item
	for _, entry := range c.Inventory.Objects {
		if !wanted[entry.Key()] {
			left := &Item{Entry: entry, Known: true}
			left.Identifier, left.Action = entry.Identifier, takeover.ActionNone
			out = append(out, left)
		}
	}
	return out
}

// SkipsPrune tells whether nothing is removed because nothing at all is written: what an earlier strategy placed stays in the
// inventory, and is removed under the next one.
func (c *Cluster) SkipsPrune() bool { return c.Decision.Selected && c.plan.Reports() }

// decidePrune decides about what no longer belongs on the cluster: first about each by itself, then about those that would take others
// with them.
func (c *Cluster) decidePrune() {
	for _, i := range c.Prunable {
		i.ObjectPreview = engine.ObjectPreview{Identifier: i.Identifier, Exists: i.Live != nil, Action: c.pruneAction(i)}
	}
	var held []*Item
	for _, i := range c.Prunable {
		if i.Action != takeover.ActionPrune {
			continue
		}
		if tenant := c.tenant(i); tenant != "" {
			i.Obstacle, i.Problem = takeover.ObstacleContents, "its deletion would take "+tenant+" with it"
			i.Message = fmt.Sprintf("%s stays on the cluster: %s", i.Identifier, i.Problem)
			held = append(held, i)
		}
	}
	for _, i := range held {
		i.Action = takeover.ActionOrphan
	}
}

// pruneAction decides about one object. Only the very object that the placement made is deleted; one that was there before it, that
// somebody made anew, that somebody else owns too, or that another set has by now, stays. So does one that may have been given up since an old
// record was made. So does everything on a cluster that has left
// the fleet, as upstream, unless the whole placement is removed.
func (c *Cluster) pruneAction(i *Item) takeover.Action {
	setID := record.ApplySetID(c.plan.Placement.Name)
	switch {
	case c.SkipsPrune():
		return takeover.ActionNone
	case i.Unseen != nil:
		return takeover.ActionUnknown
	case i.Live == nil || !c.Member.Ownership.Owns(&i.Object) || applyset.PartOf(i.Live) != "" && applyset.PartOf(i.Live) != setID:
		return takeover.ActionNone
	case !c.Joined() && !c.plan.Removing:
		return takeover.ActionOrphan
	case i.Entry.Adopted || c.plan.Spec.Strategy.DeleteStrategy.PropagationPolicy == placement.AbandonObjects:
		return takeover.ActionOrphan
	case i.Entry.UID != "" && i.Entry.UID != string(i.Live.GetUID()), len(i.Live.GetOwnerReferences()) > 0, c.RecordLost && applyset.PartOf(i.Live) == "":
		return takeover.ActionOrphan
	default:
		return takeover.ActionPrune
	}
}

// tenant names something that is to stay and would be lost with an object: what is in a Namespace, and the objects of a kind with its
// CustomResourceDefinition. It is "" for nothing, as far as the placements' own records tell.
func (c *Cluster) tenant(i *Item) string {
	container, is := source.AsContainer(i.Identifier, i.Live)
	if !is {
		return ""
	}
	for _, other := range c.Items {
		if container.Holds(other.Identifier) {
			return other.Identifier.String()
		}
	}
	for _, other := range c.Prunable {
		if container.Holds(other.Identifier) && other.Action != takeover.ActionPrune && (other.Live != nil || other.Unseen != nil) {
			return other.Identifier.String()
		}
	}
	if name := c.OtherPlacements.inside(container); name != "" {
		return fmt.Sprintf("objects of the placement %q", name)
	}
	return ""
}
