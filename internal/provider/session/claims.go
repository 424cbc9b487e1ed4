package session

import (
	"maps"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Yield marks in a preview the objects that belong to other placements according to the plans made so far in this run.
func (s *Session) Yield(preview *engine.Preview, strategy placement.ApplyStrategy) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.yield(preview, strategy)
}

// Claim does the same as [Session.Yield], and records the objects that belong to this placement for the placements that are planned after it.
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

// PlacementApplied records that an apply of the placement has ended. From then on the clusters show which objects belong to it.
func (s *Session) PlacementApplied(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.claims, name)
	delete(s.plannedConfigs, name)
	put(&s.applied, name, true)
	s.progress.notify()
	s.withdrawKinds(name)
}
