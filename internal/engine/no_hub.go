package engine

import (
	"context"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/stagedupdate"
)

var (
	_ StagedUpdates = NoHub{}
	_ Disruptions   = NoHub{}
)

// NoHub implements staged updates and disruptions for an engine that supports neither.
type NoHub struct{ Limitation Limitation }

func (n NoHub) err() error { return &LimitationError{Limitation: n.Limitation} }

// CheckStagedUpdates returns the limitation.
func (n NoHub) CheckStagedUpdates() []Limitation { return []Limitation{n.Limitation} }

// RequireStagedUpdates returns the limitation as an error.
func (n NoHub) RequireStagedUpdates(context.Context, string) error { return n.err() }

// ApplyUpdateStrategy returns the limitation as an error.
func (n NoHub) ApplyUpdateStrategy(context.Context, UpdateStrategy, *UpdateStrategy) (UpdateStrategy, error) {
	return UpdateStrategy{}, n.err()
}

// ReadUpdateStrategy returns the limitation as an error.
func (n NoHub) ReadUpdateStrategy(context.Context, Reference, *UpdateStrategy) (UpdateStrategy, error) {
	return UpdateStrategy{}, n.err()
}

// DeleteUpdateStrategy returns the limitation as an error.
func (n NoHub) DeleteUpdateStrategy(context.Context, UpdateStrategy) error { return n.err() }

// ApplyUpdateRun returns the limitation as an error.
func (n NoHub) ApplyUpdateRun(context.Context, UpdateRun, RunOptions) (UpdateRun, *stagedupdate.Status, error) {
	return UpdateRun{}, nil, n.err()
}

// ReadUpdateRun returns the limitation as an error.
func (n NoHub) ReadUpdateRun(context.Context, Reference, *UpdateRun) (UpdateRun, stagedupdate.Status, error) {
	return UpdateRun{}, stagedupdate.Status{}, n.err()
}

// DeleteUpdateRun returns the limitation as an error.
func (n NoHub) DeleteUpdateRun(context.Context, UpdateRun) error { return n.err() }

// ApproveStage returns the limitation as an error.
func (n NoHub) ApproveStage(context.Context, StageApproval) (status stagedupdate.Status, approved bool, err error) {
	return stagedupdate.Status{}, false, n.err()
}

// CheckDisruptions returns the limitation.
func (n NoHub) CheckDisruptions() []Limitation { return []Limitation{n.Limitation} }

// DisruptionsServed returns the limitation as an error.
func (n NoHub) DisruptionsServed(context.Context) error { return n.err() }

// ApplyDisruptionBudget returns the limitation as an error.
func (n NoHub) ApplyDisruptionBudget(context.Context, DisruptionBudget, *DisruptionBudget) (DisruptionBudget, error) {
	return DisruptionBudget{}, n.err()
}

// ReadDisruptionBudget returns the limitation as an error.
func (n NoHub) ReadDisruptionBudget(context.Context, string, *DisruptionBudget) (DisruptionBudget, error) {
	return DisruptionBudget{}, n.err()
}

// DeleteDisruptionBudget returns the limitation as an error.
func (n NoHub) DeleteDisruptionBudget(context.Context, DisruptionBudget) error { return n.err() }

// Evict returns the limitation as an error.
func (n NoHub) Evict(context.Context, Eviction) error { return n.err() }
