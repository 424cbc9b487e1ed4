package takeover

// Action is what happens to an object on a member. The last five are only about objects that are no longer placed on the member. Decide does not return them.
type Action string

const (
	// ActionCreate creates an object that does not exist.
	ActionCreate Action = "create"
	// ActionUpdate updates an object that the placement owns.
	ActionUpdate Action = "update"
	// ActionReplace deletes an object and recreates it: an object that the placement owns, or one that is deleted with its Namespace or definition.
	ActionReplace Action = "replace"
	// ActionTakeOver makes the placement the owner of a pre-existing object, and updates the object.
	ActionTakeOver Action = "take_over"
	// ActionTakeOverFrom makes the placement the owner of an object that another placement of the configuration hands over, and updates the object.
	ActionTakeOverFrom Action = "take_over_from"
	// ActionLeaveAlone does not take over a pre-existing object, which remains unchanged.
	ActionLeaveAlone Action = "leave_alone"
	// ActionLeaveDrifted does not update an object that the placement owns, because the object has drifted or because the plan did not show the update.
	ActionLeaveDrifted Action = "leave_drifted"
	// ActionReject does not place an object, because it cannot be placed regardless of whenToTakeOver.
	ActionReject Action = "reject"
	// ActionReport does not write the object and reports how it differs, under strategy type ReportDiff.
	ActionReport Action = "report"
	// ActionNone does nothing: an object that the placement owns is up to date, or an object that is no longer placed need not be removed.
	ActionNone Action = "none"
	// ActionPrune deletes an object that the placement owns.
	ActionPrune Action = "prune"
	// ActionOrphan keeps the object on the cluster and ends the placement's ownership.
	ActionOrphan Action = "orphan"
	// ActionHandOver keeps an object that is no longer placed, because another placement of the configuration takes it over.
	ActionHandOver Action = "hand_over"
	// ActionDefer postpones the deletion of an object to a later apply: the preview that this apply must match did not show the deletion, or
	// another placement must be removed first.
	ActionDefer Action = "defer"
	// ActionUnknown prunes or orphans an object that could not be read.
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

// Writes reports whether the action writes to the cluster, or may do so once the object can be read.
func (a Action) Writes() bool {
	switch a {
	case ActionCreate, ActionUpdate, ActionReplace, ActionTakeOver, ActionTakeOverFrom, ActionPrune, ActionOrphan, ActionUnknown:
		return true
	case ActionNone, ActionLeaveAlone, ActionLeaveDrifted, ActionReject, ActionReport, ActionHandOver, ActionDefer:
		return false
	}
	return false
}

// Leaves reports whether the object is left unchanged on purpose, for example because of the strategy or because it differs from the plan.
func (a Action) Leaves() bool { return a == ActionLeaveAlone || a == ActionLeaveDrifted }

// Places reports whether, after the action, the placement owns the object and the object has the placed content.
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

// IsDeparture reports whether the action is only about objects that are no longer placed on the cluster. ActionNone can be about such an object as well.
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

// Obstacle is the reason why an object is not written, or not deleted.
type Obstacle string

const (
	// ObstacleNone means that there is no obstacle.
	ObstacleNone Obstacle = ""
	// ObstacleMode is whenToTakeOver Never.
	ObstacleMode Obstacle = "mode"
	// ObstacleOwnerReferences are other owner references: while co-ownership is disallowed, or on an object that would be deleted.
	ObstacleOwnerReferences Obstacle = "owner_references"
	// ObstacleForeignOwner is another owner: a placement, KubeFleet or KubeAdmiral.
	ObstacleForeignOwner Obstacle = "foreign_owner"
	// ObstacleDifferences are differences under IfNoDiff, or drifts under IfNotDrifted.
	ObstacleDifferences Obstacle = "differences"
	// ObstacleDegradedDifferences are such differences or drifts, found by a full comparison that replaced a partial one.
	ObstacleDegradedDifferences Obstacle = "degraded_differences"
	// ObstacleNotCompared is a comparison that was skipped or failed.
	ObstacleNotCompared Obstacle = "not_compared"
	// ObstacleNotAgreed is an action that the approved preview did not show, for example because the object has changed since.
	ObstacleNotAgreed Obstacle = "not_agreed"
	// ObstacleBeingDeleted is an object that is being deleted.
	ObstacleBeingDeleted Obstacle = "being_deleted"
	// ObstacleNotServed is a kind that the cluster does not serve, or serves in another scope.
	ObstacleNotServed Obstacle = "not_served"
	// ObstacleNotReadable is an object that could not be read.
	ObstacleNotReadable Obstacle = "not_readable"
	// ObstacleAdmission is a rejection by the API server.
	ObstacleAdmission Obstacle = "admission"
	// ObstacleContents are other objects that the deletion of this object would delete too.
	ObstacleContents Obstacle = "contents"
	// ObstacleOccupied blocks the deletion of an object that contains objects of another placement. The same run may remove that placement.
	ObstacleOccupied Obstacle = "occupied"
	// ObstacleAdopted blocks the deletion of an object that was taken over, or that counts as taken over because its record was lost.
	ObstacleAdopted Obstacle = "adopted"
	// ObstacleAbandoned blocks the deletion of an object under the propagation policy Abandon.
	ObstacleAbandoned Obstacle = "abandoned"
	// ObstacleReplaced blocks the deletion of an object that another client has recreated.
	ObstacleReplaced Obstacle = "replaced"
	// ObstacleNotOwned blocks the deletion of an object that the placement does not own, or no longer owns.
	ObstacleNotOwned Obstacle = "not_owned"
	// ObstacleLeft is a cluster that has left the fleet, or is leaving it.
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

// QuotesServer reports whether the message about the obstacle is that of a rejected write, which can quote values of the object. It returns true for an
// unknown obstacle.
func (o Obstacle) QuotesServer() bool {
	switch o {
	case ObstacleAdmission:
		return true
	case ObstacleNone, ObstacleMode, ObstacleDifferences, ObstacleDegradedDifferences, ObstacleNotCompared, ObstacleNotAgreed, ObstacleNotServed,
		ObstacleNotReadable, ObstacleContents, ObstacleOccupied, ObstacleAdopted, ObstacleAbandoned, ObstacleReplaced, ObstacleNotOwned, ObstacleLeft, ObstacleBeingDeleted,
		ObstacleOwnerReferences, ObstacleForeignOwner:
		return false
	}
	return true
}

// Tried reports whether an object that a preview rejects for this obstacle counts as a change that an apply tries to make. The obstacle can disappear at any
// time, and KubeFleet retries indefinitely.
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
