package enginetest

import (
	"context"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

var _ engine.SameRun = (*SameRun)(nil)

// SameRun is a run with the same fate for every other placement.
type SameRun struct {
	Others engine.Fate
	// OnAwait is called when a removal waits for other placements. With nil, Await returns false.
	OnAwait func(placements []string) bool
}

// Fate returns Others.
func (r *SameRun) Fate(string) engine.Fate { return r.Others }

// Await calls OnAwait.
func (r *SameRun) Await(_ context.Context, placements []string) bool {
	return r.OnAwait != nil && r.OnAwait(placements)
}
