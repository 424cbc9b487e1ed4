package session

import "github.com/terraform-fleet/terraform-provider-fleet/internal/engine"

// Replaceable tells that a placement exists, and is planned under a name. Terraform plans the replacement of a resource in two steps: with
// what there is, and then, of whose plan it shows nothing but errors, as if there were nothing. A placement that is planned anew under that
// name in the same run takes its place.
func (s *Session) Replaceable(name string, existing engine.Placement) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.existing == nil {
		s.existing = map[string]engine.Placement{}
	}
	s.existing[name] = existing
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
