package placement

import "slices"

// Phase is the state of a placement on a cluster in one word: the last condition type if all conditions are True, otherwise the reason of the
// first one that is not.
type Phase string

// The phases. Apart from PhaseUnreachable they are KubeFleet's condition types and reasons (pkg/utils/condition).
const (
	// PhaseAvailable: all objects are applied and available.
	PhaseAvailable Phase = "Available"
	// PhaseApplied: all objects are applied, and their availability is not reported.
	PhaseApplied Phase = "Applied"
	// PhaseDiffReported: the objects were compared under strategy type ReportDiff.
	PhaseDiffReported Phase = "DiffReported"
	// PhaseUnreachable: the cluster is unreachable, so its objects are unknown.
	PhaseUnreachable Phase = "Unreachable"
	// PhaseScheduleFailed: the cluster is not picked, but the policy requests it, or it may still have objects of the placement.
	PhaseScheduleFailed Phase = "ScheduleFailed"
	// PhaseRolloutNotStarted: the rollout has not reached the cluster.
	PhaseRolloutNotStarted Phase = "RolloutNotStartedYet"
	// PhaseOverriddenFailed: an override cannot be applied to an object.
	PhaseOverriddenFailed Phase = "OverriddenFailed"
	// PhaseApplyPending: objects differ from the desired state, because the content or the objects on the cluster have changed since the last
	// apply. The next apply writes them. On a hub, the member agent has yet to apply them.
	PhaseApplyPending Phase = "ApplyPending"
	// PhaseNotApplied: some objects could not be applied, or exist and are not taken over.
	PhaseNotApplied Phase = "NotAllWorkHaveBeenApplied"
	// PhaseNotAvailable: all objects are applied, and some are not available yet.
	PhaseNotAvailable Phase = "NotAllWorkAreAvailable"
	// PhaseDiffNotReported: some objects could not be compared under strategy type ReportDiff.
	PhaseDiffNotReported Phase = "NotAllWorkHaveDiffReported"
)

// Values lists the values in the order in which they are documented.
func (Phase) Values() []string {
	return []string{
		"Available", "Applied", "DiffReported", "Unreachable", "ScheduleFailed", "RolloutNotStartedYet", "OverriddenFailed", "ApplyPending",
		"NotAllWorkHaveBeenApplied", "NotAllWorkAreAvailable", "NotAllWorkHaveDiffReported",
	}
}

// IsComplete reports whether the placement on the cluster has reached its final state.
func (p Phase) IsComplete() bool {
	return p == PhaseAvailable || p == PhaseApplied || p == PhaseDiffReported
}

// phasesFromWorst lists the phases from the worst. A placement as a whole has the worst phase of its clusters.
var phasesFromWorst = []Phase{
	PhaseScheduleFailed, PhaseOverriddenFailed, PhaseNotApplied, PhaseDiffNotReported, PhaseUnreachable, PhaseRolloutNotStarted, PhaseApplyPending,
	PhaseNotAvailable, PhaseApplied, PhaseDiffReported, PhaseAvailable,
}

// rank orders phases from the worst. An unknown phase ranks first, because it usually is the reason of a failure.
func (p Phase) rank() int { return slices.Index(phasesFromWorst, p) }

// Phase returns the phase of the placement on the cluster.
func (s ClusterStatus) Phase() Phase {
	if s.Unreachable {
		return PhaseUnreachable
	}
	last := ""
	for _, conditionType := range conditionTypes {
		c, found := s.Condition(conditionType)
		switch {
		case !found:
		case c.Status != True:
			return Phase(c.Reason)
		default:
			last = conditionType
		}
	}
	return Phase(last)
}
