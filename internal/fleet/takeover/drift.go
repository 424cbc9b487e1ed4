package takeover

import "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"

// The reasons of KubeFleet's Applied condition that drift detection can have.
const (
	ReasonApplied                         = "Applied"
	ReasonFoundDrifts                     = "FoundDrifts"
	ReasonFoundDriftsInDegradedMode       = "FoundDriftsInDegradedMode"
	ReasonFailedToRunDriftDetection       = "FailedToRunDriftDetection"
	ReasonAppliedWithFailedDriftDetection = "AppliedWithFailedDriftDetection"
)

// DriftsMatter tells whether drifts keep a manifest from being applied to an object of the placement's own: by the strategy, and as long as
// the object was made from the manifest as it is now, so that the content hash that is recorded on it is the manifest's. Where the hash is
// another one or none is recorded, drifts are overwritten.
func DriftsMatter(strategy placement.ApplyStrategy, sameManifest bool) bool {
	return strategy.WhenToApply == placement.ApplyIfNotDrifted && sameManifest
}

// DecideDrift is KubeFleet's drift detection before an apply, for objects whose [DriftsMatter]: step 5 of
// reference/kubefleet-apply-takeover.md 1.4, and 3.2. The object is the placement's own, since before or by a takeover that has just been
// made. The action is [ActionUpdate] where the manifest is to be applied.
func DecideDrift(in Input) Decision {
	if in.Live == nil || in.Strategy.WhenToApply != placement.ApplyIfNotDrifted {
		return Decision{Action: ActionUpdate}
	}
	if !in.Compared {
		return Decision{Action: ActionNeedsComparison}
	}
	const found = "cannot apply manifest: drifts are found between the manifest and the object from the member cluster"
	refuse := func(reason, problem string) Decision {
		return Decision{Action: ActionRefuse, Reason: reason, Message: failedToApply(problem), Differences: in.Differences}
	}
	switch {
	case in.CompareErr != nil:
		return refuse(ReasonFailedToRunDriftDetection, "failed to calculate pre-apply drifts between the manifest and the object from the "+
			"member cluster: "+dryRunProblem(in.Strategy, in.CompareErr))
	case len(in.Differences) > 0 && in.Degraded:
		return refuse(ReasonFoundDriftsInDegradedMode, found+inDegradedMode)
	case len(in.Differences) > 0:
		return refuse(ReasonFoundDrifts, found)
	default:
		return Decision{Action: ActionUpdate}
	}
}

// Applied is how KubeFleet reports an object that has been applied. Its condition Applied is true.
type Applied struct {
	// NeedsComparison asks for the differences that are left; then decide again. Reason and Message are empty.
	NeedsComparison bool
	Reason          string
	Message         string
	// Drifts are the differences that are left, which block nothing.
	Drifts []Difference
}

// DecideApplied is KubeFleet's drift detection after an apply, step 7 of reference/kubefleet-apply-takeover.md 1.4: under a full comparison
// whatever the apply has left as it was is reported, and no more than reported.
func DecideApplied(in Input) Applied {
	switch {
	case in.Strategy.ComparisonOption != placement.FullComparison:
		return Applied{Reason: ReasonApplied, Message: applied}
	case !in.Compared:
		return Applied{NeedsComparison: true}
	case in.CompareErr != nil:
		// The error itself is not told.
		return Applied{Reason: ReasonAppliedWithFailedDriftDetection, Message: ReasonAppliedWithFailedDriftDetection}
	default:
		return Applied{Reason: ReasonApplied, Message: applied, Drifts: in.Differences}
	}
}

const applied = "Manifest has been applied successfully"
