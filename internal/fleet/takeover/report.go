package takeover

import "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"

// The reasons of KubeFleet's DiffReported condition that a report can have.
const (
	ReasonNoDiffFound             = "NoDiffFound"
	ReasonFoundDiff               = "FoundDiff"
	ReasonFoundDiffInDegradedMode = "FoundDiffInDegradedMode"
	ReasonFailedToReportDiff      = "FailedToReportDiff"
)

// Report is what KubeFleet says about an object under strategy type ReportDiff.
//
// Without an obstacle the object's condition DiffReported is True, else False. KubeFleet takes ReasonFoundDiffInDegradedMode for True
// here and not for the cluster, so that it shows none of the cluster's differences then; where there is an obstacle its status has none of
// the object's.
type Report struct {
	// Obstacle is what keeps the differences from being told.
	Obstacle Obstacle
	// Reason and Message are those of the condition DiffReported.
	Reason, Message string
	// TakesOwnership tells that the object becomes the placement's own, which upstream does unless whenToTakeOver is Never: removing the
	// placement then deletes the object.
	TakesOwnership bool
}

// NeedsReport tells whether [DecideReport] depends on how the object differs.
func (in Input) NeedsReport() bool {
	return in.Live != nil && (in.Owned || in.Strategy.WhenToTakeOver == placement.TakeOverNever || in.ownedByOthers() == nil)
}

// DecideReport is KubeFleet's decision table for strategy type ReportDiff: rows R1 to R9 of the package documentation; for R10, see
// [BlockedReport].
func DecideReport(in Input) Report {
	if in.Live == nil { // R1
		return reported(ReasonFoundDiff, foundDiff)
	}
	takesOver := !in.Owned && in.Strategy.WhenToTakeOver != placement.TakeOverNever
	if takesOver {
		blocked := in.ownedByOthers() // R8
		if blocked == nil && in.Strategy.WhenToTakeOver == placement.TakeOverIfNoDiff {
			blocked = in.differing() // R7
		}
		if blocked != nil {
			return BlockedReport(*blocked)
		}
	}
	out := in.compared()
	out.TakesOwnership = takesOver // R5, R6
	return out
}

// compared is the report about an object that nothing but a failing comparison stands in the way of.
func (in Input) compared() Report {
	switch c := in.Comparison; {
	case c == nil:
		return failedReport(notCompared)
	case c.Err != nil: // R9
		return failedReport("Failed to report the diff between the hub cluster and the member cluster (error = " + in.comparisonProblem() + ")")
	case !c.Differs(): // R2
		return reported(ReasonNoDiffFound, "No diff has been found between the hub cluster and the member cluster")
	case c.Degraded: // R4
		return reported(ReasonFoundDiffInDegradedMode, "Diff has been found in degraded mode: cannot perform partial comparison as the member "+
			"cluster API server rejected the manifest object (object is invalid)")
	default: // R3
		return reported(ReasonFoundDiff, foundDiff)
	}
}

func reported(reason, message string) Report {
	return Report{Reason: reason, Message: message}
}

func failedReport(message string) Report {
	return Report{Obstacle: ObstacleNotCompared, Reason: ReasonFailedToReportDiff, Message: message}
}

// BlockedReport is what KubeFleet says under strategy type ReportDiff of an object that it does not compare, for the reason that keeps the
// object from being applied: it cannot be decoded, for instance (row R10).
func BlockedReport(blocked Decision) Report {
	return Report{
		Obstacle: blocked.Obstacle, Reason: ReasonFailedToReportDiff,
		Message: "An error blocks the diff reporting process (" + blocked.Reason + ", error: " + blocked.Error + ")",
	}
}

const foundDiff = "Diff has been found between the hub cluster and the member cluster"
