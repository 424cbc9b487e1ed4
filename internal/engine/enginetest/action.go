package enginetest

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

// The actions, as cases tell them. What is left alone needs none: in which of the ways follows from the reason.
const (
	creates   = engine.ActionCreate
	updates   = engine.ActionUpdate
	takesOver = engine.ActionTakeOver
	keeps     = engine.ActionNone
	refuses   = engine.ActionRefuse
	reports   = engine.ActionReport
	prunes    = engine.ActionDelete
	orphans   = engine.ActionRelease
)

// action is what is foreseen.
func (w Want) action() engine.Action {
	if w.Action != "" {
		return w.Action
	}
	return refuses
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
func outcomeOf(action engine.Action) outcome {
	switch action {
	case creates, updates, takesOver:
		return written
	case refuses:
		return refusedOutcome
	case reports:
		return reportedOutcome
	case prunes:
		return removed
	case orphans:
		return released
	default:
		return untouched
	}
}
