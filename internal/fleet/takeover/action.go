package takeover

// Action is what is done to an object on a member. The last five are about objects that are no longer placed there, and Decide never has
// them.
type Action string

// The actions.
const (
	// ActionCreate creates an object that is not there.
	ActionCreate Action = "create"
	// ActionUpdate writes an object of the placement's own.
	ActionUpdate Action = "update"
	// ActionReplace deletes an object of the placement's own and makes it anew.
	ActionReplace Action = "replace"
	// ActionTakeOver makes an object the placement's own that was there before, and writes it.
	ActionTakeOver Action = "take_over"
	// ActionTakeOverFrom makes an object the placement's own that another placement of the configuration hands over, and writes it.
	ActionTakeOverFrom Action = "take_over_from"
	// ActionLeaveAlone leaves an object as it is that exists already and is not the placement's own.
	ActionLeaveAlone Action = "leave_alone"
	// ActionLeaveDrifted leaves an object of the placement's own as others have changed it.
	ActionLeaveDrifted Action = "leave_drifted"
	// ActionReject does not place an object, because it cannot be placed whatever the takeover mode says.
	ActionReject Action = "reject"
	// ActionReport leaves the object alone and reports how it differs, under strategy type ReportDiff.
	ActionReport Action = "report"
	// ActionNone leaves an object of the placement's own as it is, because it is as it is to be.
	ActionNone Action = "none"
	// ActionPrune deletes an object of the placement's own.
	ActionPrune Action = "prune"
	// ActionOrphan gives an object up and leaves it on the cluster.
	ActionOrphan Action = "orphan"
	// ActionHandOver leaves an object that is no longer placed to another placement of the configuration, which takes it over.
	ActionHandOver Action = "hand_over"
	// ActionDefer leaves an object that is to be pruned for the next time: the preview that an apply is held to did not show it, or another placement
	// has to be removed first.
	ActionDefer Action = "defer"
	// ActionUnknown is to prune or to orphan an object that could not be looked at.
	ActionUnknown Action = "unknown"
)

// Values lists the actions in the order in which they are documented.
func (Action) Values() []string {
	return []string{
		string(ActionCreate), string(ActionUpdate), string(ActionReplace), string(ActionTakeOver), string(ActionTakeOverFrom), string(ActionLeaveAlone),
		string(ActionLeaveDrifted), string(ActionReject), string(ActionReport), string(ActionNone), string(ActionPrune), string(ActionOrphan), string(ActionHandOver),
		string(ActionDefer), string(ActionUnknown),
	}
}

// Writes tells whether the action writes to the cluster, or may do so once it is known what there is to write.
func (a Action) Writes() bool {
	switch a {
	case ActionCreate, ActionUpdate, ActionReplace, ActionTakeOver, ActionTakeOverFrom, ActionPrune, ActionOrphan, ActionUnknown:
		return true
	case ActionNone, ActionLeaveAlone, ActionLeaveDrifted, ActionReject, ActionReport, ActionHandOver, ActionDefer:
		return false
	}
	return false
}

// Leaves tells whether the object is as it was because the strategy says so, rather than because something went wrong: whoever wrote the
// strategy has asked for it, and trying again without a change of anything is of no use.
func (a Action) Leaves() bool { return a == ActionLeaveAlone || a == ActionLeaveDrifted }

// Places tells whether the action is about an object that is to be on the cluster and is left, or made, the placement's own.
func (a Action) Places() bool {
	switch a {
	case ActionNone, ActionCreate, ActionUpdate, ActionReplace, ActionTakeOver, ActionTakeOverFrom:
		return true
	case ActionLeaveAlone, ActionLeaveDrifted, ActionReject, ActionReport, ActionPrune, ActionOrphan, ActionHandOver, ActionDefer,
		ActionUnknown:
		return false
	}
	return false
}

// IsDeparture reports whether the action is about an object that is no longer placed on the cluster.
func (a Action) IsDeparture() bool {
	switch a {
	case ActionPrune, ActionOrphan, ActionHandOver, ActionDefer, ActionUnknown:
		return true
	case ActionNone, ActionCreate, ActionUpdate, ActionReplace, ActionTakeOver, ActionTakeOverFrom, ActionLeaveAlone, ActionLeaveDrifted, ActionReject,
		ActionReport:
		return false
	}
	return false
}

// Obstacle is what keeps an object from being written, or from being deleted, in one word.
type Obstacle string

// The obstacles.
const (
	// ObstacleNone is for an object that nothing stands in the way of.
	ObstacleNone Obstacle = ""
	// ObstacleMode is whenToTakeOver Never.
	ObstacleMode Obstacle = "mode"
	// ObstacleOwnerReferences are owner references while co-ownership is disallowed.
	ObstacleOwnerReferences Obstacle = "owner_references"
	// ObstacleForeignOwner is another placement, KubeFleet or KubeAdmiral.
	ObstacleForeignOwner Obstacle = "foreign_owner"
	// ObstacleDifferences are differences under IfNoDiff, or drifts under IfNotDrifted.
	ObstacleDifferences Obstacle = "differences"
	// ObstacleDegradedDifferences are the same, found by a full comparison that stood in for a partial one.
	ObstacleDegradedDifferences Obstacle = "degraded_differences"
	// ObstacleNotCompared is a comparison that was not made, or failed.
	ObstacleNotCompared Obstacle = "not_compared"
	// ObstacleNotAgreed is an object that is not as it was in the preview that was agreed to.
	ObstacleNotAgreed Obstacle = "not_agreed"
	// ObstacleBeingDeleted is an object that is about to vanish.
	ObstacleBeingDeleted Obstacle = "being_deleted"
	// ObstacleNotServed is a kind that the cluster does not serve, or serves in another scope.
	ObstacleNotServed Obstacle = "not_served"
	// ObstacleNotReadable is an object that could not be looked at.
	ObstacleNotReadable Obstacle = "not_readable"
	// ObstacleAdmission is the API server, which does not accept the object.
	ObstacleAdmission Obstacle = "admission"
	// ObstacleContents are other objects that would be lost with one that is to be deleted.
	ObstacleContents Obstacle = "contents"
	// ObstacleOccupied are objects of another placement, which the same run may remove.
	ObstacleOccupied Obstacle = "occupied"
	// ObstacleAdopted is an object that is to go and was there before the placement.
	ObstacleAdopted Obstacle = "adopted"
	// ObstacleAbandoned is an object that is to go under the propagation policy Abandon.
	ObstacleAbandoned Obstacle = "abandoned"
	// ObstacleReplaced is an object that is to go and that somebody else has made anew.
	ObstacleReplaced Obstacle = "replaced"
	// ObstacleNotOwned is an object that is to go and is not the placement's own any more.
	ObstacleNotOwned Obstacle = "not_owned"
	// ObstacleLeft is a cluster that has left the fleet.
	ObstacleLeft Obstacle = "left"
)

// Values lists the obstacles in the order in which they are documented, without ObstacleNone.
func (Obstacle) Values() []string {
	return []string{
		string(ObstacleMode), string(ObstacleOwnerReferences), string(ObstacleForeignOwner), string(ObstacleDifferences),
		string(ObstacleDegradedDifferences), string(ObstacleNotCompared), string(ObstacleNotAgreed), string(ObstacleBeingDeleted),
		string(ObstacleNotServed), string(ObstacleNotReadable), string(ObstacleAdmission), string(ObstacleContents), string(ObstacleOccupied),
		string(ObstacleAdopted), string(ObstacleAbandoned), string(ObstacleReplaced), string(ObstacleNotOwned), string(ObstacleLeft),
	}
}

// Tried tells whether an apply tries to write an object all the same that a preview rejects for the obstacle, as KubeFleet does over and
// over: the API server has the last word.
func (o Obstacle) Tried() bool {
	switch o {
	case ObstacleAdmission, ObstacleBeingDeleted, ObstacleOwnerReferences, ObstacleForeignOwner:
		return true
	case ObstacleNone, ObstacleMode, ObstacleDifferences, ObstacleDegradedDifferences, ObstacleNotCompared, ObstacleNotAgreed, ObstacleNotServed,
		ObstacleNotReadable, ObstacleContents, ObstacleOccupied, ObstacleAdopted, ObstacleAbandoned, ObstacleReplaced, ObstacleNotOwned, ObstacleLeft:
		return false
	}
	return false
}
