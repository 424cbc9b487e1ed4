package report

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

const (
	// plannedOwnerAdvice is about objects of a placement that a resource of the run manages.
	plannedOwnerAdvice = "To take over an object of another placement of this configuration, name that placement in takes_over_from, and remove the object from it. Without " +
		"takes_over_from, that removal deletes the object if the placement created it."
	// unknownOwnerAdvice is about objects of a placement that a resource of the run may manage or not.
	unknownOwnerAdvice = "To take over an object of another placement, name that placement in takes_over_from if a resource of this configuration manages it, and remove the " +
		"object from that resource. Name it in takes_over_from_removed if it is in no state any more. If it is in another state, remove it from there first, with " +
		"\"terraform state rm\" or a removed block with destroy = false."
	// hubOwnerAdvice is about objects that the controllers of a hub manage.
	hubOwnerAdvice = "Objects that KubeFleet or KubeAdmiral manages must be removed from there first."
)

// foreignAdvice is about the owners whose objects no mode takes over.
func foreignAdvice(preview *engine.Preview, plan Plan) []string {
	var planned, unknown, hub bool
	for _, cluster := range preview.Clusters {
		for _, object := range cluster.Objects {
			switch owner := object.Owner; {
			case object.Action != takeover.ActionLeaveAlone || !owner.Exclusive:
			case owner.Kind != takeover.OwnerPlacement:
				hub = true
				unknown = unknown || preview.Predicted // the hub may place it for another placement
			case object.Claimed || plan.Managed != nil && plan.Managed(owner.Name):
				planned = true
			default:
				unknown = true
			}
		}
	}
	var out []string
	for _, part := range []struct {
		applies bool
		text    string
	}{{planned, plannedOwnerAdvice}, {unknown, unknownOwnerAdvice}, {hub, hubOwnerAdvice}} {
		if part.applies {
			out = append(out, part.text)
		}
	}
	return out
}
