package direct

import (
	"fmt"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// findLeftovers lists what the inventory has and the placement no longer wants here.
func (c *clusterPlan) findLeftovers() []*item {
	if c.inventory == nil {
		return nil
	}
	wanted := map[manifest.Key]bool{}
	for _, i := range c.items {
		wanted[i.Key()] = true
	}
	var out []*item
	for _, entry := range c.inventory.Objects {
		if !wanted[entry.Key()] {
			left := &item{entry: entry, known: true}
			left.Identifier = entry.Identifier
			out = append(out, left)
		}
	}
	return out
}

// keepsLeftovers tells whether nothing is removed because nothing at all is written: what an earlier strategy placed stays in the
// inventory, and is removed under the next one.
func (c *clusterPlan) keepsLeftovers(p *plan) bool { return c.decision.Selected && p.reporting() }

// decideLeftovers decides about what no longer belongs on the cluster.
func (c *clusterPlan) decideLeftovers(p *plan) {
	if c.keepsLeftovers(p) {
		for _, i := range c.leftovers {
			i.Action = engine.ActionNone
		}
		return
	}
	for _, i := range c.leftovers {
		i.decideLeftover(p, !c.joined())
	}
	for _, i := range c.leftovers {
		if i.Action != engine.ActionDelete {
			continue
		}
		if tenant := c.tenant(i); tenant != "" {
			i.Action = engine.ActionRelease
			i.Message = fmt.Sprintf("%s stays on the cluster: its deletion would take %s with it", i.Identifier, tenant)
		}
	}
}

// decideLeftover decides about one object. Only the very object that the placement made is deleted; one that was there before it, that
// somebody made anew, that somebody else owns too, or that another set has by now, stays. So does everything on a cluster that has left
// the fleet, as upstream, unless the whole placement is removed.
func (i *item) decideLeftover(p *plan, left bool) {
	i.Reason, i.Message = "", ""
	setID := applySetID(p.request.Name)
	switch {
	case i.unseen != nil:
		i.Action = engine.ActionUnknown
	case i.live == nil || !i.owned(setID) || partOf(i.live) != "" && partOf(i.live) != setID:
		i.Action = engine.ActionNone
	case left && !p.removing:
		i.Action = engine.ActionRelease
	case i.entry.Adopted || p.spec.Strategy.DeleteStrategy.PropagationPolicy == placement.AbandonObjects:
		i.Action = engine.ActionRelease
	case i.entry.UID != "" && i.entry.UID != string(i.live.GetUID()), len(i.live.GetOwnerReferences()) > 0:
		i.Action = engine.ActionRelease
	default:
		i.Action = engine.ActionDelete
	}
}

// tenant names something that is to stay and would be lost with an object: what is in a Namespace, and the objects of a kind with its
// CustomResourceDefinition. It is "" for nothing, as far as the placements' own records tell.
func (c *clusterPlan) tenant(i *item) string {
	var namespace, kind string
	var inside func(manifest.Identifier) bool
	switch {
	case i.isNamespace():
		namespace = i.Name
		inside = func(id manifest.Identifier) bool { return id.Namespace == namespace }
	case i.Group == definitionKind.Group && i.Kind == definitionKind.Kind:
		defined := definedKind(i.live)
		kind = defined.String()
		inside = func(id manifest.Identifier) bool { return id.Group == defined.Group && id.Kind == defined.Kind }
	default:
		return ""
	}
	for _, other := range c.items {
		if inside(other.Identifier) {
			return other.Identifier.String()
		}
	}
	for _, other := range c.leftovers {
		if inside(other.Identifier) && other.Action != engine.ActionDelete && (other.live != nil || other.unseen != nil) {
			return other.Identifier.String()
		}
	}
	if name := c.neighbours.inside(namespace, kind); name != "" {
		return fmt.Sprintf("objects of the placement %q", name)
	}
	return ""
}
