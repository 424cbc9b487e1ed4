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
