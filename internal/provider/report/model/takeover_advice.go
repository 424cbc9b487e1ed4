package model

import (
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

const (
	takenOverAdvice = "The placement manages the objects that it takes over, and updates them to match the placed objects. Destroying the placement leaves these objects on the clusters."
	// deletedLaterAdvice is about objects that a hub takes over and deletes with the placement.
	deletedLaterAdvice = "The placement manages the objects that it takes over, and updates them to match the placed objects. Destroying the placement deletes these objects, " +
		"and with a Namespace everything in it: hubs do not record which objects are pre-existing."
	neverAdvice     = "Objects that are not taken over stay out of the placement and are reported in problems."
	otherModeAdvice = "To take them over, set strategy.apply_strategy.when_to_take_over to \"IfNoDiff\" (only objects without differences) or \"Always\" " +
		"(overwrites the differences shown)."
	differentAdvice = "Make the placed object equal to the one on the cluster, or set strategy.apply_strategy.when_to_take_over to \"Always\" to " +
		"overwrite the differences shown."
	immutableAdvice = "An object that differs in an immutable field cannot be changed: give the placed object the value of the cluster, or delete the object " +
		"on the cluster; the next apply creates it."
	notAgreedAdvice = "Objects that differ from the reviewed preview are not taken over. Review this preview, and use its digest."
	coOwnedAdvice   = "Objects with owner references are taken over only with strategy.apply_strategy.allow_co_ownership = true."
	// plannedOwnerAdvice is about objects of a placement that a resource of the run manages.
	plannedOwnerAdvice = "To take over an object of another placement of this configuration, name that placement in takes_over_from, and remove the object from it. Without " +
		"takes_over_from, that removal deletes the object if the placement created it."
	// unknownOwnerAdvice is about objects of a placement that a resource of the run may or may not manage.
	unknownOwnerAdvice = "To take over an object of another placement, name that placement in takes_over_from if a resource of this configuration manages it, and remove the " +
		"object from that resource. Name it in takes_over_from_removed if no state has it any more. If it is in another state, remove it from there first, with " +
		"\"terraform state rm\" or a removed block with destroy = false."
	hubOwnerAdvice = "Objects that KubeFleet or KubeAdmiral manages must be removed from there first."
	// sameHubAdvice is about objects that the placement's own hub may manage, for another placement.
	sameHubAdvice = "If an object that KubeFleet or KubeAdmiral manages belongs to no placement of this hub, remove it first from the hub that manages it."
)

func listTakeoverAdvice(preview *engine.Preview, counts Counts, options Options) []string {
	switch {
	case counts.Of[takeover.ActionLeaveAlone] > 0:
		return listConflictAdvice(preview, options)
	case counts.Of[takeover.ActionTakeOver] > 0 && preview.Hub != nil && !preview.OnHub().KeepsAdopted:
		return []string{deletedLaterAdvice}
	case counts.Of[takeover.ActionTakeOver] > 0:
		return []string{takenOverAdvice}
	default:
		return nil
	}
}

func listConflictAdvice(preview *engine.Preview, options Options) []string {
	mode := options.Strategy.WhenToTakeOver
	applies := map[string]bool{neverAdvice: mode == placement.TakeOverNever}
	for _, cluster := range preview.Clusters {
		for _, o := range cluster.Objects {
			if o.Action != takeover.ActionLeaveAlone {
				continue
			}
			if o.Owner.Exclusive {
				addOwnerAdvice(applies, preview, o, options)
			}
			if mode == placement.TakeOverNever {
				applies[immutableAdvice] = applies[immutableAdvice] || isImmutable(o)
				applies[otherModeAdvice] = applies[otherModeAdvice] || !o.Owner.Exclusive && !isImmutable(o)
			} else {
				addObstacleAdvice(applies, o, mode)
			}
		}
	}
	var out []string
	for _, text := range []string{
		neverAdvice, otherModeAdvice, differentAdvice, immutableAdvice, notAgreedAdvice, coOwnedAdvice, plannedOwnerAdvice, unknownOwnerAdvice, hubOwnerAdvice, sameHubAdvice,
	} {
		if applies[text] {
			out = append(out, text)
		}
	}
	return out
}

func addObstacleAdvice(applies map[string]bool, o engine.ObjectPreview, mode placement.WhenToTakeOver) {
	switch o.Obstacle {
	case takeover.ObstacleDifferences, takeover.ObstacleDegradedDifferences:
		if isImmutable(o) {
			applies[immutableAdvice] = true
		} else if mode != placement.TakeOverAlways {
			applies[differentAdvice] = true
		}
	case takeover.ObstacleNotAgreed:
		applies[notAgreedAdvice] = true
	case takeover.ObstacleOwnerReferences:
		if !o.Owner.Exclusive { // an exclusive owner keeps the object even with co-ownership
			applies[coOwnedAdvice] = true
		}
	case takeover.ObstacleForeignOwner, takeover.ObstacleNone, takeover.ObstacleMode, takeover.ObstacleNotCompared, takeover.ObstacleBeingDeleted,
		takeover.ObstacleNotServed, takeover.ObstacleNotReadable, takeover.ObstacleAdmission, takeover.ObstacleContents,
		takeover.ObstacleOccupied, takeover.ObstacleAdopted, takeover.ObstacleAbandoned, takeover.ObstacleReplaced, takeover.ObstacleNotOwned, takeover.ObstacleLeft:
	}
}

// addOwnerAdvice adds the advice about an object whose owner prevents a takeover with any value of when_to_take_over.
func addOwnerAdvice(applies map[string]bool, preview *engine.Preview, o engine.ObjectPreview, options Options) {
	switch {
	case o.Owner.Kind != takeover.OwnerPlacement && preview.Hub != nil:
		applies[unknownOwnerAdvice], applies[sameHubAdvice] = true, true
	case o.Owner.Kind != takeover.OwnerPlacement:
		applies[hubOwnerAdvice] = true
	case o.Claimed || options.Managed != nil && options.Managed(o.Owner.Name):
		applies[plannedOwnerAdvice] = true
	default:
		applies[unknownOwnerAdvice] = true
	}
}

// isImmutable reports whether the API server rejects every write that makes the object equal to the placed one.
func isImmutable(object engine.ObjectPreview) bool {
	return slices.ContainsFunc(object.Differences, func(d diff.Difference) bool { return d.Immutable })
}
