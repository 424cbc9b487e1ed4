package session

// Manage remembers that the state of this run has a placement.
func (s *Session) Manage(placement string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.managed == nil {
		s.managed = map[string]bool{}
	}
	s.managed[placement] = true
}

// Manages tells whether the state of this run has a placement, as far as that has been read: Terraform does not tell it when it plans to
// replace a resource that is tainted.
func (s *Session) Manages(placement string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.managed[placement]
}
