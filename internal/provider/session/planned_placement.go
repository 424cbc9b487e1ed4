package session

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
)

// PlannedPlacement is what the plan of a resource has made of a placement.
type PlannedPlacement struct {
	engine.Placement
	// Missing is why there is no preview and none can be made, "" otherwise. Then only the name is set.
	Missing string
	// Options are those that Preview was made with. Preview is nil if no cluster was checked.
	Options engine.PreviewOptions
	Preview *engine.Preview
	// Removal is the preview of the removal that comes first, if the plan replaces a placement; nil for none. Why is the reason.
	Removal *engine.Preview
	Why     report.Replaces
}

// previewed is a placement that a data source has previewed.
type previewed struct {
	placement engine.Placement
	// replaces reports whether the preview shows a replacement.
	replaces bool
}

// PlanPlacement records what the plan of a resource makes of a placement.
func (s *Session) PlanPlacement(planned PlannedPlacement) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.placements[planned.String()]
	planned.Removal, planned.Why = before.Removal, before.Why
	put(&s.placements, planned.String(), planned)
}

// PlanReplacement records the removal that comes before the creation of a placement, which is planned after it.
func (s *Session) PlanReplacement(name string, removal *engine.Preview, why report.Replaces) {
	s.mu.Lock()
	defer s.mu.Unlock()
	planned := s.placements[name]
	planned.Removal, planned.Why = removal, why
	put(&s.placements, name, planned)
}

// RemovalBefore returns the preview of the removal that comes before the creation of a placement; nil for none.
func (s *Session) RemovalBefore(name string) *engine.Preview {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.placements[name].Removal
}

// PlannedPlacement returns what the plan of a resource has made of a placement, if the resource is planned by now.
func (s *Session) PlannedPlacement(name string) (planned PlannedPlacement, found bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	planned, found = s.placements[name]
	return planned, found && planned.Name != ""
}

// Previewed records that a data source has previewed a placement, and whether it shows a replacement.
func (s *Session) Previewed(placement engine.Placement, replaces bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	put(&s.previewed, placement.String(), previewed{placement, replaces})
}

// PreviewOf returns what a data source has previewed under a name, if one has by now.
func (s *Session) PreviewOf(name string) (placement engine.Placement, replaces, found bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of, found := s.previewed[name]
	return of.placement, of.replaces, found
}
