package engine

import (
	"context"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/stagedupdate"
)

var (
	_ StagedUpdates = NoHub{}
	_ Disruptions   = NoHub{}
)

// NoHub is what an engine has that drives no hub of its own: neither staged updates nor evictions.
type NoHub struct{ Limitation Limitation }

func (n NoHub) err() error { return &LimitationError{Limitation: n.Limitation} }

// CheckStagedUpdates refuses them.
func (n NoHub) CheckStagedUpdates() []Limitation { return []Limitation{n.Limitation} }

// StagedUpdatesServed refuses.
func (n NoHub) StagedUpdatesServed(context.Context, string) error { return n.err() }

// ApplyUpdateStrategy refuses.
func (n NoHub) ApplyUpdateStrategy(context.Context, UpdateStrategy, *UpdateStrategy) (UpdateStrategy, error) {
	return UpdateStrategy{}, n.err()
}

// ReadUpdateStrategy refuses.
func (n NoHub) ReadUpdateStrategy(context.Context, Reference, *UpdateStrategy) (UpdateStrategy, error) {
	return UpdateStrategy{}, n.err()
}

// DeleteUpdateStrategy refuses.
func (n NoHub) DeleteUpdateStrategy(context.Context, UpdateStrategy) error { return n.err() }

// ApplyUpdateRun refuses.
func (n NoHub) ApplyUpdateRun(context.Context, UpdateRun, RunOptions) (UpdateRun, *stagedupdate.Status, error) {
	return UpdateRun{}, nil, n.err()
}

// ReadUpdateRun refuses.
func (n NoHub) ReadUpdateRun(context.Context, Reference, *UpdateRun) (UpdateRun, stagedupdate.Status, error) {
	return UpdateRun{}, stagedupdate.Status{}, n.err()
}

// DeleteUpdateRun refuses.
func (n NoHub) DeleteUpdateRun(context.Context, UpdateRun) error { return n.err() }

// ApproveStage refuses.
func (n NoHub) ApproveStage(context.Context, StageApproval) (status stagedupdate.Status, approved bool, err error) {
	return stagedupdate.Status{}, false, n.err()
}

// CheckDisruptions refuses them.
func (n NoHub) CheckDisruptions() []Limitation { return []Limitation{n.Limitation} }

// DisruptionsServed refuses.
func (n NoHub) DisruptionsServed(context.Context) error { return n.err() }

// ApplyDisruptionBudget refuses.
func (n NoHub) ApplyDisruptionBudget(context.Context, DisruptionBudget, *DisruptionBudget) (DisruptionBudget, error) {
	return DisruptionBudget{}, n.err()
}

// ReadDisruptionBudget refuses.
func (n NoHub) ReadDisruptionBudget(context.Context, string, *DisruptionBudget) (DisruptionBudget, error) {
	return DisruptionBudget{}, n.err()
}

// DeleteDisruptionBudget refuses.
func (n NoHub) DeleteDisruptionBudget(context.Context, DisruptionBudget) error { return n.err() }

// Evict refuses.
func (n NoHub) Evict(context.Context, Eviction) error { return n.err() }
