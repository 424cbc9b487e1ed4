package takeover

// LeftAlone tells whether a reason of the Applied condition says that an object is as it was because the strategy says so, rather than
// because something went wrong: whoever wrote the strategy has asked for it, and trying again without a change of anything is of no use.
func LeftAlone(reason string) bool {
	switch reason {
	case ReasonNotTakenOver, ReasonFailedToTakeOver, ReasonFoundDrifts, ReasonFoundDriftsInDegradedMode:
		return true
	default:
		return false
	}
}
