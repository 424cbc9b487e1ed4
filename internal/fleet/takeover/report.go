package takeover

import "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"

// The reasons of KubeFleet's DiffReported condition that a report can have.
const (
	ReasonNoDiffFound             = "NoDiffFound"
	ReasonFoundDiff               = "FoundDiff"
	ReasonFoundDiffInDegradedMode = "FoundDiffInDegradedMode"
	ReasonFailedToReportDiff      = "FailedToReportDiff"
)

// Report is KubeFleet's report about an object under strategy type ReportDiff.
//
// Without an obstacle, the object's condition DiffReported is True, otherwise False. KubeFleet treats ReasonFoundDiffInDegradedMode as True
// for the object but not for the cluster, so it then shows no differences for the cluster. With an obstacle, the status shows no differences
// for the object.
type Report struct {
	// Obstacle is the reason why the differences are not reported.
	Obstacle Obstacle
	// Reason and Message are those of the condition DiffReported.
	Reason, Message string
	// TakesOwnership reports whether KubeFleet makes the placement the owner of an object that it does not own yet. A later removal of the placement then
	// deletes the object. The direct engine never takes ownership for a report.
	TakesOwnership bool
}

// NeedsReport reports whether [DecideReport] depends on how the object differs.
func (in Input) NeedsReport() bool {
	return in.Live != nil && (in.Owned || in.Strategy.WhenToTakeOver == placement.TakeOverNever || in.checkOwners() == nil)
}

// DecideReport returns KubeFleet's decision for strategy type ReportDiff: rows R1 to R9 of the package documentation. For R10, see [BlockedReport].
func DecideReport(in Input) Report {
	if in.Live == nil { // R1
		return newReport(ReasonFoundDiff, foundDiff)
	}
	takesOver := !in.Owned && in.Strategy.WhenToTakeOver != placement.TakeOverNever
	if takesOver {
		blocked := in.checkOwners() // R8
		if blocked == nil && in.Strategy.WhenToTakeOver == placement.TakeOverIfNoDiff {
			blocked = in.checkDifferences() // R7
		}
		if blocked != nil {
			return BlockedReport(*blocked)
		}
	}
	out := in.reportComparison()
	out.TakesOwnership = takesOver // R5, R6
	return out
}

func (in Input) reportComparison() Report {
	switch c := in.Comparison; {
	case c == nil:
		return failedReport(notCompared)
	case c.Err != nil: // R9
		return failedReport("Failed to report the diff between the hub cluster and the member cluster (error = " + in.comparisonProblem() + ")")
	case !c.Differs(): // R2
		return newReport(ReasonNoDiffFound, "No diff has been found between the hub cluster and the member cluster")
	case c.Degraded: // R4
		return newReport(ReasonFoundDiffInDegradedMode, "Diff has been found in degraded mode: cannot perform partial comparison as the member "+
			"cluster API server rejected the manifest object (object is invalid)")
	default: // R3
		return newReport(ReasonFoundDiff, foundDiff)
	}
}

func newReport(reason, message string) Report {
	return Report{Reason: reason, Message: message}
}

func failedReport(message string) Report {
	return Report{Obstacle: ObstacleNotCompared, Reason: ReasonFailedToReportDiff, Message: message}
}

// BlockedReport returns KubeFleet's report, under strategy type ReportDiff, about an object that it does not compare because something
// blocks the apply: for example, the manifest cannot be decoded (row R10).
func BlockedReport(blocked Decision) Report {
	return Report{
		Obstacle: blocked.Obstacle, Reason: ReasonFailedToReportDiff,
		Message: "An error blocks the diff reporting process (" + blocked.Reason + ", error: " + blocked.Error + ")",
	}
}

const foundDiff = "Diff has been found between the hub cluster and the member cluster"
