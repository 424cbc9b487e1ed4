package session

import (
	"maps"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Yield leaves in a preview what other placements of this run, which were planned before, make their own.
func (s *Session) Yield(preview *engine.Preview, strategy placement.ApplyStrategy) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.yield(preview, strategy)
}

// Claim does the same, and keeps what the placement makes its own for those that are planned after it.
func (s *Session) Claim(preview *engine.Preview, strategy placement.ApplyStrategy) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.yield(preview, strategy)
	put(&s.claims, preview.Placement, preview.Claims())
}

func (s *Session) yield(preview *engine.Preview, strategy placement.ApplyStrategy) {
	for _, other := range slices.Sorted(maps.Keys(s.claims)) {
		if other != preview.Placement {
			preview.Yield(other, s.claims[other], strategy)
		}
	}
}

// PlacementApplied tells that an apply of the placement has ended: from now on the clusters say what is its own.
func (s *Session) PlacementApplied(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.claims, name)
	delete(s.planned, name)
	put(&s.applied, name, true)
	s.progress.note()
	s.withdrawKinds(name)
}
