package enginetest

import (
	"context"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

var _ engine.SameRun = (*SameRun)(nil)

// SameRun is a run that does the same with every other placement.
type SameRun struct {
	Others engine.Fate
	// OnAwait is called when a removal waits for other placements. Nil waits for none.
	OnAwait func(placements []string) bool
}

// Fate returns what the run does with every other placement.
func (r *SameRun) Fate(string) engine.Fate { return r.Others }

// Await calls OnAwait.
func (r *SameRun) Await(_ context.Context, placements []string) bool {
	return r.OnAwait != nil && r.OnAwait(placements)
}
