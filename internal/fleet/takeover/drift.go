package takeover

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// The reasons of KubeFleet's Applied condition that drift detection can have.
const (
	ReasonApplied                         = "Applied"
	ReasonFoundDrifts                     = "FoundDrifts"
	ReasonFoundDriftsInDegradedMode       = "FoundDriftsInDegradedMode"
	ReasonFailedToRunDriftDetection       = "FailedToRunDriftDetection"
	ReasonAppliedWithFailedDriftDetection = "AppliedWithFailedDriftDetection"
)

// DriftInput is what drift detection depends on. The object exists and is the placement's own, since before or by a takeover that has just
// been made.
type DriftInput struct {
	// Strategy has its defaults filled in.
	Strategy placement.ApplyStrategy
	// SameManifest says that the object was made from the manifest as it is now: the content hash that is recorded on it is the manifest's.
	// Without it, whether the hash is another one or there is none, drifts are overwritten.
	SameManifest bool
	// Compared says that Differences, Degraded and CompareErr hold the outcome of a comparison; see [Input].
	Compared    bool
	Differences []Difference
	Degraded    bool
	CompareErr  error
}

// gated tells whether drifts keep the manifest from being applied.
func (in DriftInput) gated() bool {
	return in.Strategy.WhenToApply == placement.ApplyIfNotDrifted && in.SameManifest
}

// DecideDrift is KubeFleet's drift detection before an apply: step 5 of reference/kubefleet-apply-takeover.md 1.4, and 3.2. The action is
// [ActionUpdate] where the manifest is to be applied.
func DecideDrift(in DriftInput) Decision {
	if !in.gated() {
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
func DecideApplied(in DriftInput) Applied {
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
