package takeover

import "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"

// The reasons of KubeFleet's DiffReported condition that a report can have.
const (
	ReasonNoDiffFound             = "NoDiffFound"
	ReasonFoundDiff               = "FoundDiff"
	ReasonFoundDiffInDegradedMode = "FoundDiffInDegradedMode"
	ReasonFailedToReportDiff      = "FailedToReportDiff"
)

// wholeObject stands for an object that the member does not have, in KubeFleet's words.
const wholeObject = "(the whole object)"

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
	Differences    []Difference
}

// DecideReport is KubeFleet's decision table for strategy type ReportDiff: rows R1 to R9 of reference/kubefleet-apply-takeover.md.
func DecideReport(in Input) Report {
	if in.Live == nil { // R1
		return Report{
			Action: ActionReport, Done: true, Reason: ReasonFoundDiff, Message: foundDiff,
			Differences: []Difference{{Path: "/", InHub: wholeObject, HasHub: true}},
		}
	}
	out := Report{Action: ActionReport, Reason: ReasonFailedToReportDiff}
	if !in.Owned && in.Strategy.WhenToTakeOver != placement.TakeOverNever {
		problem, needsComparison := in.takeover()
		if needsComparison {
			return Report{Action: ActionNeedsComparison}
		}
		if problem != "" { // R7, R8
			out.Message = "An error blocks the diff reporting process (" + ReasonFailedToTakeOver + ", error: " + problem + ")"
			return out
		}
		out.TakesOwnership = true // R5, R6
	}
	switch {
	case !in.Compared:
		return Report{Action: ActionNeedsComparison}
	case in.CompareErr != nil: // R9
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

const foundDiff = "Diff has been found between the hub cluster and the member cluster"
