package plan

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// replace has the cluster looked at as if a removal had been carried out: what that deletes is not there, and what it gives up is nobody's.
func (c *Cluster) replace(removal *Plan) {
	if removal == nil {
		return
	}
	before := removal.Cluster(c.Name)
	if before == nil || before.Err != nil || before.Inventory == nil {
		return
	}
	name := removal.Placement.Name
	owned := c.ownership
	if c.OtherPlacements.forget(name); name == c.plan.Placement.Name {
		c.Inventory, c.Former, owned.inventory = nil, nil, nil
	} else {
		owned.replaced = record.ApplySetID(name)
	}
	c.Member.Gone = before.deletes
}

// deletes tells whether a removal deletes an object, or has it go with one that it deletes.
func (c *Cluster) deletes(id manifest.Identifier, live *unstructured.Unstructured) bool {
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
