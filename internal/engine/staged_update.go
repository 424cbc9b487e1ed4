package engine

import (
	"context"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/stagedupdate"
)

// StagedUpdates roll contents of placements out in stages.
type StagedUpdates interface {
	// CheckStagedUpdates tells why the engine has none.
	CheckStagedUpdates() []Limitation
	// StagedUpdatesServed is a [NotServedError] if the hub does not have them for placements in a namespace, or in none.
	StagedUpdatesServed(ctx context.Context, namespace string) error
	// ApplyUpdateStrategy writes a strategy, and returns the recorded strategy. A new one must not exist yet.
	ApplyUpdateStrategy(ctx context.Context, s UpdateStrategy, prior *UpdateStrategy) (UpdateStrategy, error)
	// ReadUpdateStrategy returns a strategy as it is, or [ErrNotFound].
	ReadUpdateStrategy(ctx context.Context, reference Reference, prior *UpdateStrategy) (UpdateStrategy, error)
	// DeleteUpdateStrategy removes a strategy. One that is gone is no error.
	DeleteUpdateStrategy(ctx context.Context, prior UpdateStrategy) error
	// ApplyUpdateRun starts a run, or changes its state, follows it, and returns the recorded run. With a status the run is written, whatever the
	// error says. If the hub cannot be asked about the written run, the error is an [UnfollowedError].
	ApplyUpdateRun(ctx context.Context, r UpdateRun, options RunOptions) (UpdateRun, *stagedupdate.Status, error)
	// ReadUpdateRun returns a run and its status, or [ErrNotFound].
	ReadUpdateRun(ctx context.Context, reference Reference, prior *UpdateRun) (UpdateRun, stagedupdate.Status, error)
	// DeleteUpdateRun removes a run. What it has rolled out stays.
	DeleteUpdateRun(ctx context.Context, prior UpdateRun) error
	// ApproveStage gives an approval that a run waits for, and follows the run as long as nobody has to do something. Once it is approved, an
	// error is about the following.
	ApproveStage(ctx context.Context, approval StageApproval) (status stagedupdate.Status, approved bool, err error)
}

// UpdateStrategy is a strategy by its name. One in a namespace is for the placements there.
type UpdateStrategy struct {
	Reference
	// UID is that of the object on a hub as it was read or written last; "" if it is not known. Another object of the name is neither changed nor deleted.
	UID  string
	Spec stagedupdate.Strategy
}

// UpdateRun is a run by its name. One in a namespace is of a placement there.
type UpdateRun struct {
	Reference
	// UID is that of the object on a hub as it was read or written last; "" if it is not known. Another object of the name is neither changed nor deleted.
	UID  string
	Spec stagedupdate.Run
}

// RunOptions say how a run is followed.
type RunOptions struct {
	// Create says that the run is new: it must not exist yet.
	Create bool
	// Wait follows the run until it ends, waits for somebody, or the context ends.
	Wait bool
	// Progress is told how the run goes on; nil for nobody.
	Progress func(message string)
}

// StageApproval is an approval of what comes after a stage, or of its beginning.
type StageApproval struct {
	Run   Reference
	Stage string
	// Before says that the beginning of the stage is approved.
	Before bool
	// Reason is what the approver says about it.
	Reason   string
	Progress func(message string)
	// Wait follows the run afterwards.
	Wait bool
}
