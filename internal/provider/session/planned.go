package session

import "github.com/hashicorp/terraform-plugin-go/tftypes"

// Alone notes that a placement is planned under a name, and tells whether no other resource of this run is. A resource is planned a second
// time, as if there were nothing, if it is replaced: from the same configuration.
func (s *Session) Alone(name string, config tftypes.Value, exists bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if before, planned := s.planned[name]; planned {
		_, replaceable := s.existing[name]
		return !exists && replaceable && before.Equal(config)
	}
	put(&s.planned, name, config)
	return true
}

// Goes notes that the placement of a name is planned to be destroyed, for good: of what is replaced Terraform asks no plan of the destruction. It tells
// whether no resource of this run is planned under the name.
func (s *Session) Goes(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	put(&s.going, name, true)
	_, planned := s.planned[name]
	return !planned
}

// IsGoing tells whether the placement of a name is planned to be destroyed.
func (s *Session) IsGoing(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.going[name]
}
