package takeover

import "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"

// The reasons of KubeFleet's Applied condition that drift detection can have.
const (
	ReasonFoundDrifts               = "FoundDrifts"
	ReasonFoundDriftsInDegradedMode = "FoundDriftsInDegradedMode"
	ReasonFailedToRunDriftDetection = "FailedToRunDriftDetection"
)

// GatedByDrift tells whether drifts keep the object from being written, so that [DecideDrift] depends on how it differs: it is the
// placement's own, the same manifest was applied before, and whenToApply is IfNotDrifted.
func (in Input) GatedByDrift() bool {
	return in.Live != nil && in.Owned && in.SameManifest && in.Strategy.WhenToApply == placement.ApplyIfNotDrifted
}

// DecideDrift is KubeFleet's drift detection before an apply, of an object of the placement's own that [Decide] would have updated. The
// action is [ActionUpdate] where the manifest is to be applied.
func DecideDrift(in Input) Decision {
	if !in.GatedByDrift() {
		return Decision{Action: ActionUpdate}
	}
	const found = "cannot apply manifest: drifts are found between the manifest and the object from the member cluster"
	leave := func(obstacle Obstacle, reason, problem, told string) Decision {
		return Decision{Action: ActionLeaveDrifted, Obstacle: obstacle, Problem: problem, Reason: reason, Error: told}
	}
	switch c := in.Comparison; {
	case c == nil:
		return Rejected(ObstacleNotCompared, ReasonFailedToRunDriftDetection, notCompared)
	case c.Err != nil:
		return Rejected(ObstacleNotCompared, ReasonFailedToRunDriftDetection, "failed to calculate pre-apply drifts between the manifest and "+
			"the object from the member cluster: "+in.dryRunProblem())
	case c.Differs() && c.Degraded:
		return leave(ObstacleDegradedDifferences, ReasonFoundDriftsInDegradedMode, degradedMode, found+inDegradedMode)
	case c.Differs():
		return leave(ObstacleDifferences, ReasonFoundDrifts, found, found)
	default:
		return Decision{Action: ActionUpdate}
	}
}
