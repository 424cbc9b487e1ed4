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
type Report struct {
	// Action is ActionReport or ActionNeedsComparison.
	Action Action
	// Done is the status of the object's condition DiffReported. KubeFleet takes ReasonFoundDiffInDegradedMode for done here and not done
	// for the cluster, so that it shows none of the cluster's differences then.
	Done    bool
	Reason  string
	Message string
	// TakesOwnership tells that the object becomes the placement's own, which upstream does unless whenToTakeOver is Never: removing the
	// placement then deletes the object.
	TakesOwnership bool
	// Differences are those of the input, if there was a comparison. KubeFleet's status has none where Done is false.
	Differences []Difference
}

// DecideReport is KubeFleet's decision table for strategy type ReportDiff: rows R1 to R9 of reference/kubefleet-apply-takeover.md; for R10, see
// [BlockedReport].
func DecideReport(in Input) Report {
	if in.Live == nil { // R1
		return Report{
			Action: ActionReport, Done: true, Reason: ReasonFoundDiff, Message: foundDiff,
			Differences: []Difference{{Path: "/", InHub: wholeObject, HasHub: true}},
		}
	}
	out := Report{Action: ActionReport}
	if !in.Owned && in.Strategy.WhenToTakeOver != placement.TakeOverNever {
		problem, needsComparison := in.takeover()
		if needsComparison {
			return Report{Action: ActionNeedsComparison}
		}
		if problem != "" { // R7, R8
			out = BlockedReport(ReasonFailedToTakeOver, problem)
			if in.Compared {
				out.Differences = in.Differences
			}
			return out
		}
		out.TakesOwnership = true // R5, R6
	}
	switch {
	case !in.Compared:
		return Report{Action: ActionNeedsComparison}
	case in.CompareErr != nil: // R9
		out.Reason = ReasonFailedToReportDiff
		out.Message = "Failed to report the diff between the hub cluster and the member cluster (error = " + in.comparisonProblem() + ")"
		return out
	}
	out.Done, out.Differences = true, in.Differences
	switch {
	case len(in.Differences) == 0: // R2
		out.Reason, out.Message = ReasonNoDiffFound, "No diff has been found between the hub cluster and the member cluster"
	case in.Degraded: // R4
		out.Reason = ReasonFoundDiffInDegradedMode
		out.Message = "Diff has been found in degraded mode: cannot perform partial comparison as the member cluster API server rejected " +
			"the manifest object (object is invalid)"
	default: // R3
		out.Reason, out.Message = ReasonFoundDiff, foundDiff
	}
	return out
}

// BlockedReport is what KubeFleet says under strategy type ReportDiff of an object that it does not compare, for a reason of the Applied
// condition: it cannot be decoded, for instance (row R10).
func BlockedReport(reason, problem string) Report {
	return Report{
		Action: ActionReport, Reason: ReasonFailedToReportDiff,
		Message: "An error blocks the diff reporting process (" + reason + ", error: " + problem + ")",
	}
}

const foundDiff = "Diff has been found between the hub cluster and the member cluster"
