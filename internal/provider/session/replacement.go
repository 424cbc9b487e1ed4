package session

import "github.com/terraform-fleet/terraform-provider-fleet/internal/engine"

// Exists tells that the state of this run has a placement, and that one of a name that is planned anew takes its place. Terraform plans the
// replacement of a resource as if there were nothing: of one that is tainted it plans nothing else, of others it has planned a change before.
func (s *Session) Exists(name string, existing engine.Placement) {
	s.mu.Lock()
	defer s.mu.Unlock()
	put(&s.existing, name, existing)
}

// Replaced is the placement that one that is planned anew takes the place of; nil for none.
func (s *Session) Replaced(name string) *engine.Placement {
	s.mu.Lock()
	defer s.mu.Unlock()
	if existing, found := s.existing[name]; found {
		return &existing
	}
	return nil
}
