package enginetest

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// Short names of the actions for cases. A case whose object is not applied names no action: Want.action derives it from the reason.
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

// action returns the predicted action: Action, or the one that Reason implies.
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

// outcome is the effect of an apply on an object.
type outcome int

const (
	// outcomeUnchanged: the object remains unchanged, and the status reports no error.
	outcomeUnchanged outcome = iota
	// outcomeRejected: the object remains unchanged, and the status gives the reason.
	outcomeRejected
	// outcomeReported: the object remains unchanged, and the status gives its differences.
	outcomeReported
	// outcomeWritten: the object has the placed content.
	outcomeWritten
	// outcomeRemoved: the object is deleted.
	outcomeRemoved
	// outcomeReleased: the object stays, without the placement's mark.
	outcomeReleased
)

// outcomeOf returns the outcome that an action must have.
func outcomeOf(action takeover.Action) outcome {
	switch action {
	case creates, updates, takesOver, takeover.ActionTakeOverFrom, takeover.ActionReplace:
		return outcomeWritten
	case leaves, drifts, rejected:
		return outcomeRejected
	case reports:
		return outcomeReported
	case prunes:
		return outcomeRemoved
	case orphans:
		return outcomeReleased
	case keeps, takeover.ActionHandOver, takeover.ActionDefer, takeover.ActionUnknown:
		return outcomeUnchanged
	}
	return outcomeUnchanged
}
