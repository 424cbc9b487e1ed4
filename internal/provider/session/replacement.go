package session

import "github.com/terraform-fleet/terraform-provider-fleet/internal/engine"

// Exists records that the state of this run has a placement, which a placement of the given name replaces if it is planned without a prior state. Terraform
// plans the replacement of a resource without a prior state. It plans a tainted resource only that way; for other resources it plans an update first.
func (s *Session) Exists(name string, existing engine.Placement) {
	s.mu.Lock()
	defer s.mu.Unlock()
	put(&s.existing, name, existing)
}

// Replaced returns the existing placement that a placement planned without a prior state replaces; nil for none.
func (s *Session) Replaced(name string) *engine.Placement {
	s.mu.Lock()
	defer s.mu.Unlock()
	if existing, found := s.existing[name]; found {
		return &existing
	}
	return nil
}
