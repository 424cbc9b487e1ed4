package plan

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/validate/content"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/applyset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// findPrunable lists the objects in the inventory that the placement no longer places on the cluster. It includes released objects only in a removal, which
// reports that they remain. It adds the entries that cannot identify an object to Unusable.
func (c *Cluster) findPrunable() []*Item {
	if c.Inventory == nil {
		return nil
	}
	placed := map[manifest.Key]bool{}
	for _, i := range c.Items {
		placed[i.Key()] = true
	}
	var out []*Item
	for _, entry := range c.Inventory.Objects {
		if !IsObject(entry.Identifier) {
			c.Unusable = append(c.Unusable, entry.Identifier)
			continue
		}
		if !placed[entry.Key()] && (!entry.Released || c.plan.Removing) {
			left := &Item{Entry: entry, Known: true}
			left.Identifier, left.Action = entry.Identifier, takeover.ActionNone
			out = append(out, left)
		}
	}
	return out
}

// IsObject reports whether an identifier can identify an object. The provider records only such identifiers, but a record can be edited.
func IsObject(id manifest.Identifier) bool {
	return id.Kind != "" && id.Version != "" && id.Name != "" && len(content.IsPathSegmentName(id.Name)) == 0 &&
		len(content.IsPathSegmentName(id.Namespace)) == 0
}

// SkipsPrune reports whether nothing is removed because the strategy writes nothing. Objects that were applied under an earlier strategy remain in the
// inventory. The next apply with a strategy that writes removes them.
func (c *Cluster) SkipsPrune() bool { return c.Decision.Selected && c.plan.Reports() }

// decidePrune decides the action for one prunable object. It does not consider the contents of a container (a Namespace or CustomResourceDefinition).
func (c *Cluster) decidePrune(i *Item) {
	i.ObjectPreview = engine.ObjectPreview{Identifier: i.Identifier, Exists: i.Live != nil}
	i.Action, i.Obstacle, i.Problem = c.pruneAction(i)
	if i.Action == takeover.ActionHandOver {
		i.To, _ = c.handedTo(i)
	}
	if i.Action != takeover.ActionPrune {
		return
	}
	if _, is := source.AsContainer(i.Identifier, i.Live); !is { // for a container, decidePrunes calls holdToExpected after it has checked the contents
		c.holdToExpected(i)
	}
}

// holdToExpected defers a deletion that the approved plan did not show. The object remains in the inventory, so that the next plan shows the deletion.
func (c *Cluster) holdToExpected(i *Item) {
	if i.Action != takeover.ActionPrune {
		return
	}
	if problem := c.plan.options.Expected.ContradictsDeletion(c.Name, i.Key(), i.Contents); problem != "" {
		i.Action, i.Obstacle, i.Problem = takeover.ActionDefer, takeover.ObstacleNotAgreed, problem+"; the next apply deletes it"
	}
}

// pruneAction returns the action for one prunable object. It deletes only an object that the placement created according to its record. It keeps an object that
// is pre-existing, was released, could not be read, was recreated by another client, has owner references, belongs to another ApplySet, or is handed over to
// another placement. If the record is lost, it keeps objects without the label. If the strategy only reports differences, or the propagation policy is Abandon,
// it keeps all objects. If the cluster has left the fleet and the whole placement is not removed, it keeps all objects, as KubeFleet does.
func (c *Cluster) pruneAction(i *Item) (action takeover.Action, obstacle takeover.Obstacle, problem string) {
	to, why := c.handedTo(i)
	switch {
	case c.SkipsPrune(), i.Unrecorded && i.Live == nil:
		return takeover.ActionNone, takeover.ObstacleNone, ""
	case i.Unrecorded:
		return takeover.ActionNone, takeover.ObstacleNotOwned, "it carries the placement's label, and the record of who created it is missing, is an " +
			"older version, or does not verify"
	case i.Entry.Released:
		return takeover.ActionNone, takeover.ObstacleLeft, "it was kept when the placement left the cluster"
	case i.Unseen != nil && to == "":
		return takeover.ActionUnknown, takeover.ObstacleNotReadable, i.Unseen.Error()
	case i.Live == nil && i.Unseen == nil:
		return takeover.ActionNone, takeover.ObstacleNone, ""
	case i.Live != nil && applyset.PartOf(i.Live) != "" && !c.ownership.isOwn(applyset.PartOf(i.Live)):
		owner := c.Member.Ownership.Owner(i.Live)
		return takeover.ActionNone, takeover.ObstacleForeignOwner, "it now belongs to " + owner.String()
	case to != "":
		return takeover.ActionHandOver, takeover.ObstacleNone, why
	case !c.Member.Ownership.Owns(&i.Object):
		return takeover.ActionNone, takeover.ObstacleNotOwned, "it no longer belongs to the placement"
	case !c.Joined() && !c.plan.Removing:
		return takeover.ActionOrphan, takeover.ObstacleLeft, "the cluster has left the fleet"
	case i.Entry.Lost:
		return takeover.ActionOrphan, takeover.ObstacleAdopted, "the record of who created it was lost, so it counts as pre-existing"
	case i.Entry.Adopted:
		return takeover.ActionOrphan, takeover.ObstacleAdopted, "pre-existing"
	case c.abandons():
		return takeover.ActionOrphan, takeover.ObstacleAbandoned, "strategy.delete_strategy.propagation_policy is \"Abandon\""
	case i.Entry.UID != "" && i.Entry.UID != string(i.Live.GetUID()):
		return takeover.ActionOrphan, takeover.ObstacleReplaced, "it is not the object that the placement created: it was recreated outside of " +
			"Terraform"
	case c.RecordLost && applyset.PartOf(i.Live) == "":
		return takeover.ActionOrphan, takeover.ObstacleNotOwned, "its record is older than the last one read, and it no longer carries the " +
			"placement's label"
	case len(i.Live.GetOwnerReferences()) > 0:
		owner := i.Live.GetOwnerReferences()[0]
		return takeover.ActionOrphan, takeover.ObstacleOwnerReferences, fmt.Sprintf("%s %s also owns it", owner.Kind, owner.Name)
	default:
		return takeover.ActionPrune, takeover.ObstacleNone, ""
	}
}
