package session

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
)

// PlannedPlacement is a placement in the plan of a resource.
type PlannedPlacement struct {
	engine.Placement
	// Missing is the reason if no preview is possible, otherwise "". If Missing is set, Placement has only the reference, and Options and Preview are not set.
	Missing string
	// Options are the options of Preview. Preview is nil if no cluster was checked.
	Options engine.PreviewOptions
	Preview *engine.Preview
	// Removal is the removal with which a replacement begins; nil if the plan does not replace the placement.
	Removal *PlannedRemoval
}

// PlannedRemoval is the removal of a placement that another one replaces, under the same name or a new one.
type PlannedRemoval struct {
	engine.Placement
	Options engine.DeleteOptions
	Preview *engine.Preview
	Why     report.Replaces
}

type dataPreview struct {
	placement engine.Placement
	// replaces reports whether the preview shows a replacement.
	replaces bool
}

// PlanPlacement records a placement in the plan of a resource. It ignores planned.Removal, and keeps the removal that [Session.PlanReplacement] has recorded.
func (s *Session) PlanPlacement(planned PlannedPlacement) {
	p := s.lock(planned.String())
	defer s.mu.Unlock()
	planned.Removal = p.planned.Removal
	p.planned = planned
}

// PlanReplacement records the removal that precedes the creation of a placement. The creation is planned after the removal.
func (s *Session) PlanReplacement(name string, removal PlannedRemoval) {
	p := s.lock(name)
	defer s.mu.Unlock()
	p.planned.Removal = &removal
}

// RemovalBefore returns the preview of the removal that precedes the creation of a placement; nil for none.
func (s *Session) RemovalBefore(name string) *engine.Preview {
	p := s.lock(name)
	defer s.mu.Unlock()
	if p.planned.Removal == nil {
		return nil
	}
	return p.planned.Removal.Preview
}

// PlannedPlacement returns the placement in the plan of a resource, if the resource is planned by now.
func (s *Session) PlannedPlacement(name string) (planned PlannedPlacement, found bool) {
	p := s.lock(name)
	defer s.mu.Unlock()
	return p.planned, p.planned.Name != ""
}

// Previewed records that a data source has previewed a placement. replaces reports whether the preview shows a replacement.
func (s *Session) Previewed(placement engine.Placement, replaces bool) {
	p := s.lock(placement.String())
	defer s.mu.Unlock()
	p.previewed = &dataPreview{placement, replaces}
}

// PreviewOf returns a placement as a data source has previewed it, and whether this preview shows a replacement. found is false if no data source has previewed
// the placement yet.
func (s *Session) PreviewOf(name string) (placement engine.Placement, replaces, found bool) {
	p := s.lock(name)
	defer s.mu.Unlock()
	if p.previewed == nil {
		return placement, false, false
	}
	return p.previewed.placement, p.previewed.replaces, true
}
