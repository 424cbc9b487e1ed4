package session

// managed is a thing that the state of this run has: a member, or else a placement.
type managed struct {
	member bool
	name   string
}

// Manage remembers that the state of this run has a placement.
func (s *Session) Manage(placement string) { s.manage(managed{name: placement}) }

// ManageMember remembers that the state of this run has a member.
func (s *Session) ManageMember(name string) { s.manage(managed{member: true, name: name}) }

// Manages tells whether the state of this run has a placement, as far as that has been read: Terraform does not tell it when it plans to
// replace a resource that is tainted.
func (s *Session) Manages(placement string) bool { return s.manages(managed{name: placement}) }

// ManagesMember tells the same of a member.
func (s *Session) ManagesMember(name string) bool {
	return s.manages(managed{member: true, name: name})
}

func (s *Session) manage(what managed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.managed == nil {
		s.managed = map[managed]bool{}
	}
	s.managed[what] = true
}

func (s *Session) manages(what managed) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.managed[what]
}
