package placement

import "slices"

// Phase is where a placement stands on a cluster, in one word: the last condition type if all conditions are True, else the reason of the
// first one that is not.
type Phase string

// The phases. Apart from PhaseUnreachable they are KubeFleet's condition types and reasons (pkg/utils/condition).
const (
	// PhaseAvailable: every object is applied and available.
	PhaseAvailable Phase = "Available"
	// PhaseApplied: every object is applied; whether they are available was not looked at.
	PhaseApplied Phase = "Applied"
	// PhaseDiffReported: the objects were compared under strategy type ReportDiff.
	PhaseDiffReported Phase = "DiffReported"
	// PhaseUnreachable: the cluster does not answer, so its objects are not known.
	PhaseUnreachable Phase = "Unreachable"
	// PhaseScheduleFailed: the policy asks for the cluster, and it cannot be had.
	PhaseScheduleFailed Phase = "ScheduleFailed"
	// PhaseRolloutNotStarted: the rollout has not come to the cluster.
	PhaseRolloutNotStarted Phase = "RolloutNotStartedYet"
	// PhaseOverriddenFailed: an override cannot be applied to an object.
	PhaseOverriddenFailed Phase = "OverriddenFailed"
	// PhaseApplyPending: objects are not as they are to be placed, because the content or somebody on the cluster has changed them since the
	// last apply; the next one writes them.
	PhaseApplyPending Phase = "ApplyPending"
	// PhaseNotApplied: objects could not be applied, or exist and are not taken over.
	PhaseNotApplied Phase = "NotAllWorkHaveBeenApplied"
	// PhaseNotAvailable: every object is applied, and some are not available yet.
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

// IsComplete reports whether the placement is where it is to be.
func (p Phase) IsComplete() bool {
	return p == PhaseAvailable || p == PhaseApplied || p == PhaseDiffReported
}

// fromWorst are the phases in the order in which a placement as a whole has them.
var fromWorst = []Phase{
	PhaseScheduleFailed, PhaseOverriddenFailed, PhaseNotApplied, PhaseDiffNotReported, PhaseUnreachable, PhaseRolloutNotStarted, PhaseApplyPending,
	PhaseNotAvailable, PhaseApplied, PhaseDiffReported, PhaseAvailable,
}

// rank orders phases from the worst. A reason that is not known here is one of a failure.
func (p Phase) rank() int { return slices.Index(fromWorst, p) }

// conditionTypes are those of a cluster in the order in which they come true.
var conditionTypes = []string{Scheduled, RolloutStarted, Overridden, WorkSynchronized, Applied, Available, DiffReported}

// Phase tells where the placement stands on the cluster.
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
