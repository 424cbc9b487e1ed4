package plan

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// replace makes the cluster appear as it will be after a removal. The objects that the removal deletes do not exist. The objects that it orphans no longer
// belong to the removed placement, and have no last applied configuration.
func (c *Cluster) replace(removal *Plan) {
	if removal == nil {
		return
	}
	before := removal.Cluster(c.Name)
	if before == nil || before.Err != nil || before.Inventory == nil {
		return
	}
	c.replacedRecord = before.Inventory
	name := removal.Placement.Name
	owned := c.ownership
	if c.OtherPlacements.remove(name); name == c.plan.Placement.Name {
		c.Inventory, c.Former, owned.inventory = nil, nil, nil
	} else {
		owned.replaced = record.ApplySetID(name)
	}
	c.Member.WillBeGone, c.Member.WillBeOrphaned = before.deletes, before.orphans
}

// orphans reports whether a removal orphans an object: the object remains, and its marks are removed.
func (c *Cluster) orphans(live *unstructured.Unstructured) bool {
	i := c.prunable(live)
	return i != nil && i.Action == takeover.ActionOrphan
}

// prunable returns the item of an object that is no longer placed, or nil.
func (c *Cluster) prunable(live *unstructured.Unstructured) *Item {
	at := slices.IndexFunc(c.Prunable, func(i *Item) bool { return i.Live != nil && i.Live.GetUID() == live.GetUID() })
	if at < 0 {
		return nil
	}
	return c.Prunable[at]
}

// deletes reports whether a removal deletes an object: directly, with its Namespace, or with an owner. It considers only the owners that the plan has read.
func (c *Cluster) deletes(id manifest.Identifier, live *unstructured.Unstructured) bool {
	if i := c.prunable(live); i != nil {
		return i.Action == takeover.ActionPrune
	}
	if c.going[live.GetUID()] {
		return true
	}
	for _, i := range c.Prunable {
		if i.Action != takeover.ActionPrune {
			continue
		}
		if container, is := source.AsContainer(i.Identifier, i.Live); is && container.Namespace != "" && container.Holds(id) {
			return true
		}
	}
	return false
}
