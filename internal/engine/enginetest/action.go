package enginetest

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// The actions, as cases tell them. What is left as it is needs none: in which of the ways follows from the reason.
const (
	creates   = takeover.ActionCreate
	updates   = takeover.ActionUpdate
	takesOver = takeover.ActionTakeOver
	keeps     = takeover.ActionNone
	leaves    = takeover.ActionLeaveAlone
	drifts    = takeover.ActionLeaveDrifted
	rejected  = takeover.ActionReject
	reports   = takeover.ActionReport
	prunes    = takeover.ActionPrune
	orphans   = takeover.ActionOrphan
)

// action is what is foreseen.
func (w Want) action() takeover.Action {
	if w.Action != "" {
		return w.Action
	}
	switch w.Reason {
	case takeover.ReasonNotTakenOver, takeover.ReasonFailedToTakeOver:
		return leaves
	case takeover.ReasonFoundDrifts, takeover.ReasonFoundDriftsInDegradedMode:
		return drifts
	default:
		return rejected
	}
}

// outcome is what an apply makes of an object.
type outcome int

const (
	// untouched leaves the object as it is, with nothing to complain of.
	untouched outcome = iota
	// refusedOutcome leaves it as it is, and says why.
	refusedOutcome
	// reportedOutcome leaves it as it is, and tells how it differs.
	reportedOutcome
	// written makes it as it is to be.
	written
	// removed deletes it.
	removed
	// released leaves it, without a mark.
	released
)

// outcomeOf is what is to come of an action.
func outcomeOf(action takeover.Action) outcome {
	switch action {
	case creates, updates, takesOver, takeover.ActionTakeOverFrom, takeover.ActionReplace:
		return written
	case leaves, drifts, rejected:
		return refusedOutcome
	case reports:
		return reportedOutcome
	case prunes:
		return removed
	case orphans:
		return released
	case keeps, takeover.ActionHandOver, takeover.ActionDefer, takeover.ActionUnknown:
		return untouched
	}
	return untouched
}
