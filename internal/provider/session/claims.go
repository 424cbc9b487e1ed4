package session

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Yield marks in a preview the objects that belong to other placements according to the plans made so far in this run.
func (s *Session) Yield(preview *engine.Preview, strategy placement.ApplyStrategy) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.yield(preview, strategy)
}

// Claim does the same as [Session.Yield]. It also records which objects belong to this placement, for the placements that are planned later.
func (s *Session) Claim(preview *engine.Preview, strategy placement.ApplyStrategy) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.yield(preview, strategy)
	s.placement(preview.Placement).claims = preview.Claims()
}

func (s *Session) yield(preview *engine.Preview, strategy placement.ApplyStrategy) {
	for _, other := range s.sorted() {
		if other.name != preview.Placement {
			preview.Yield(other.name, other.claims, strategy)
		}
	}
}

// PlacementApplied records that an apply of the placement has ended. From then on, the clusters show which objects belong to the placement, and which kinds and
// Namespaces they have.
func (s *Session) PlacementApplied(name string) {
	p := s.lock(name)
	defer s.mu.Unlock()
	p.claims, p.config, p.isApplied = nil, nil, true
	s.progress.notify()
	p.lacks = nil
	s.namespaces.Withdraw(name)
	s.kinds.Withdraw(name)
}
