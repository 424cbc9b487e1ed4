package engine

import (
	"context"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/stagedupdate"
)

// StagedUpdates roll out the contents of placements in stages.
type StagedUpdates interface {
	// CheckStagedUpdates returns the limitations of an engine without staged updates.
	CheckStagedUpdates() []Limitation
	// RequireStagedUpdates returns a [NotServedError] if the hub does not support staged updates of the placements in a namespace. An empty namespace means
	// cluster-scoped placements.
	RequireStagedUpdates(ctx context.Context, namespace string) error
	// ApplyUpdateStrategy writes a strategy, and returns the recorded strategy. If prior is nil, the strategy must not exist yet.
	ApplyUpdateStrategy(ctx context.Context, s UpdateStrategy, prior *UpdateStrategy) (UpdateStrategy, error)
	// ReadUpdateStrategy returns the live strategy, or [ErrNotFound].
	ReadUpdateStrategy(ctx context.Context, reference Reference, prior *UpdateStrategy) (UpdateStrategy, error)
	// DeleteUpdateStrategy deletes a strategy. It returns nil if the strategy does not exist.
	DeleteUpdateStrategy(ctx context.Context, prior UpdateStrategy) error
	// ApplyUpdateRun starts a run or changes its state, follows it, and returns the recorded run. If it returns a status, the run was written,
	// even with an error. If the hub cannot be read after the write, the error is an [UnfollowedError].
	ApplyUpdateRun(ctx context.Context, r UpdateRun, options RunOptions) (UpdateRun, *stagedupdate.Status, error)
	// ReadUpdateRun returns a run and its status, or [ErrNotFound].
	ReadUpdateRun(ctx context.Context, reference Reference, prior *UpdateRun) (UpdateRun, stagedupdate.Status, error)
	// DeleteUpdateRun deletes a run. The content that it has rolled out remains.
	DeleteUpdateRun(ctx context.Context, prior UpdateRun) error
	// ApproveStage approves a stage that a run waits for, and follows the run until it needs user action. If approved is true, the stage was approved, and an
	// error means that the run could not be followed.
	ApproveStage(ctx context.Context, approval StageApproval) (status stagedupdate.Status, approved bool, err error)
}

// UpdateStrategy is a staged update strategy. A strategy in a namespace is for the placements in this namespace.
type UpdateStrategy struct {
	Reference
	// UID is the UID of the object on a hub at the last read or write; "" if unknown. An object with another UID is neither changed nor deleted.
	UID  string
	Spec stagedupdate.Strategy
}

// UpdateRun is a staged update run. A run in a namespace is for a placement in this namespace.
type UpdateRun struct {
	Reference
	// UID is the UID of the object on a hub at the last read or write; "" if unknown. An object with another UID is neither changed nor deleted.
	UID  string
	Spec stagedupdate.Run
}

// RunOptions configure how a run is followed.
type RunOptions struct {
	// Create means that the run is new: it must not exist yet.
	Create bool
	// Wait follows the run until it ends, needs user action, or the context ends.
	Wait bool
	// Progress, if not nil, is called with the progress of the run.
	Progress func(message string)
}

// StageApproval is the approval of a stage. A stage can require one approval before it begins and one after it has ended.
type StageApproval struct {
	Run   Reference
	Stage string
	// Before selects the approval before the stage begins.
	Before   bool
	Reason   string
	Progress func(message string)
	Wait     bool
}
