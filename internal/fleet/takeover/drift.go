package takeover

import "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"

// The reasons of KubeFleet's Applied condition that drift detection can have.
const (
	ReasonFoundDrifts               = "FoundDrifts"
	ReasonFoundDriftsInDegradedMode = "FoundDriftsInDegradedMode"
	ReasonFailedToRunDriftDetection = "FailedToRunDriftDetection"
)

// GatedByDrift reports whether drift blocks the write of the object, so that [DecideDrift] depends on how it differs: the placement owns the
// object, the same manifest was applied before, and whenToApply is IfNotDrifted.
func (in Input) GatedByDrift() bool {
	return in.Live != nil && in.Owned && in.SameManifest && in.Strategy.WhenToApply == placement.ApplyIfNotDrifted
}

// DecideDrift returns the result of KubeFleet's drift detection before an apply, for an object of the placement that [Decide] would update. The action is
// [ActionUpdate] if the manifest can be applied, [ActionLeaveDrifted] if the object has drifted, and [ActionReject] if it could not be compared.
func DecideDrift(in Input) Decision {
	if !in.GatedByDrift() {
		return Decision{Action: ActionUpdate}
	}
	const found = "cannot apply manifest: drifts are found between the manifest and the object from the member cluster"
	leave := func(obstacle Obstacle, reason, problem, errorText string) Decision {
		return Decision{Action: ActionLeaveDrifted, Obstacle: obstacle, Problem: problem, Reason: reason, Error: errorText}
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
