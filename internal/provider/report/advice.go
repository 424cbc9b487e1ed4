package report

import (
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// advice says what to do about what was found, the worst first. A run gives each piece of advice once.
func advice(preview *engine.Preview, counts counts, plan Plan) []string {
	if len(preview.Selected) == 0 {
		return []string{nothingSelected(preview, counts)}
	}
	var out []string
	give := func(pieces ...string) {
		pieces = slices.DeleteFunc(pieces, func(piece string) bool { return piece == "" || !plan.first(piece) })
		if len(pieces) > 0 {
			out = append(out, strings.Join(pieces, " "))
		}
	}
	give(takeoverAdvice(preview, counts, plan)...)
	if resets(preview) {
		give("The takeover resets what an autoscaler has set. To leave a field to the autoscaler, leave it out of the placed object; " +
			"replicas only where no hub stores the object, which would fill them in: in an envelope, or in manifests of the engine \"direct\". On a host of KubeAdmiral the " +
			"annotation kubeadmiral.io/retain-replicas: \"true\" leaves those of a Deployment to the members.")
	}
	if rejectsImmutable(preview) {
		give(immutableAdvice)
	}
	if counts.missing > 0 {
		give(missingAdvice)
	}
	give(kindAdvice(preview))
	if held(preview) {
		give(heldAdvice(preview, false))
	}
	if counts.retried > 0 {
		give(retryAdvice)
	}
	if counts.drifts > 0 {
		give(driftAdvice)
	}
	if counts.of[takeover.ActionLeaveDrifted] > 0 {
		give("A drifted object keeps the values on the cluster until the placed object changes. To overwrite them with the next apply, set " +
			"strategy.apply_strategy.when_to_apply to \"Always\".")
	}
	return out
}

// retryAdvice is about clusters that could not be checked and do not have the newest content.
const retryAdvice = "The apply tries again to reach the clusters that were NOT CHECKED. On a cluster that responds, it creates objects and updates those that the placement " +
	"has created. It takes over and deletes nothing there: a later plan shows that."

// isRetried reports whether a cluster could not be checked, and an apply has something to write there. On a hub, the agents retry on their own.
func isRetried(preview *engine.Preview, cluster engine.ClusterPreview) bool {
	return cluster.Err != nil && cluster.Picked && cluster.Resume && !preview.Predicted
}

// always gives each piece of advice.
func always(string) bool { return true }

func takeoverAdvice(preview *engine.Preview, counts counts, plan Plan) []string {
	switch {
	case counts.of[takeover.ActionLeaveAlone] > 0 && plan.Strategy.WhenToTakeOver == placement.TakeOverNever:
		return append(remediesOfNever(preview), foreignAdvice(preview, plan)...)
	case counts.of[takeover.ActionLeaveAlone] > 0:
		return append(remedies(preview, plan.Strategy), foreignAdvice(preview, plan)...)
	case counts.of[takeover.ActionTakeOver] > 0 && preview.Predicted && !preview.KeepsAdopted:
		return []string{"The placement manages the objects that it takes over, and writes them as they are placed. Destroying the placement deletes these objects, a " +
			"Namespace with everything in it: hubs do not record which objects are pre-existing."}
	case counts.of[takeover.ActionTakeOver] > 0:
		return []string{"The placement manages the objects that it takes over, and writes them as they are placed. Destroying the placement leaves these objects on the clusters."}
	default:
		return nil
	}
}

// remediesOfNever names another mode, but not for the objects that no mode takes over.
func remediesOfNever(preview *engine.Preview) []string {
	var free, fixed bool
	for _, cluster := range preview.Clusters {
		for _, object := range cluster.Objects {
			if object.Action == takeover.ActionLeaveAlone {
				immutable := isImmutable(object)
				fixed = fixed || immutable
				free = free || !object.Owner.Exclusive && !immutable
			}
		}
	}
	out := []string{"Objects that are not taken over stay out of the placement and are reported in problems."}
	if free {
		out = append(out, "To take them over, set strategy.apply_strategy.when_to_take_over to \"IfNoDiff\" (only what does not differ) or \"Always\" "+
			"(overwrites the differences shown).")
	}
	if fixed {
		out = append(out, immutableAdvice)
	}
	return out
}

// immutableAdvice is about objects that differ in immutable fields.
const immutableAdvice = "An object that differs in an immutable field cannot be changed: give the placed object the value of the cluster, or delete the object " +
	"on the cluster; the next apply creates it."

// isImmutable reports whether the API server rejects every write that makes the object equal to the placed one.
func isImmutable(object engine.ObjectPreview) bool {
	return slices.ContainsFunc(object.Differences, func(d diff.Difference) bool { return d.Immutable })
}

// rejectsImmutable reports whether an object cannot be placed because of an immutable field.
func rejectsImmutable(preview *engine.Preview) bool {
	return slices.ContainsFunc(preview.Clusters, func(c engine.ClusterPreview) bool {
		return slices.ContainsFunc(c.Objects, func(o engine.ObjectPreview) bool { return o.Action == takeover.ActionReject && isImmutable(o) })
	})
}

// remedies names one for each of the obstacles that there are. Against the others there is none but to plan again: what they are is told with
// the object.
func remedies(preview *engine.Preview, strategy placement.ApplyStrategy) []string {
	var shared, different, unagreed, fixed bool
	for _, cluster := range preview.Clusters {
		for _, object := range cluster.Objects {
			if object.Action != takeover.ActionLeaveAlone {
				continue
			}
			switch object.Obstacle {
			case takeover.ObstacleDifferences, takeover.ObstacleDegradedDifferences:
				immutable := isImmutable(object)
				fixed, different = fixed || immutable, different || !immutable && strategy.WhenToTakeOver != placement.TakeOverAlways
			case takeover.ObstacleNotAgreed:
				unagreed = true
			case takeover.ObstacleOwnerReferences:
				shared = shared || !object.Owner.Exclusive // an exclusive owner keeps the object even with co-ownership
			case takeover.ObstacleForeignOwner, takeover.ObstacleNone, takeover.ObstacleMode, takeover.ObstacleNotCompared, takeover.ObstacleBeingDeleted,
				takeover.ObstacleNotServed, takeover.ObstacleNotReadable, takeover.ObstacleAdmission, takeover.ObstacleContents,
				takeover.ObstacleOccupied, takeover.ObstacleAdopted, takeover.ObstacleAbandoned, takeover.ObstacleReplaced, takeover.ObstacleNotOwned, takeover.ObstacleLeft:
			}
		}
	}
	var out []string
	if different {
		out = append(out, "Make the placed object equal to the one on the cluster, or set strategy.apply_strategy.when_to_take_over to \"Always\" to "+
			"overwrite the differences shown.")
	}
	if fixed {
		out = append(out, immutableAdvice)
	}
	if unagreed {
		out = append(out, "Objects that differ from the reviewed preview are not taken over. Review this preview, and use its digest.")
	}
	if shared {
		out = append(out, "Objects with owner references are taken over only with strategy.apply_strategy.allow_co_ownership = true.")
	}
	return out
}

// resets tells whether a takeover overwrites what an autoscaler writes.
func resets(preview *engine.Preview) bool {
	for _, cluster := range preview.Clusters {
		for _, object := range cluster.Objects {
			if object.Action != takeover.ActionTakeOver {
				continue
			}
			for _, difference := range object.Differences {
				if difference.HasHub && difference.Autoscaled() {
					return true
				}
			}
		}
	}
	return false
}
