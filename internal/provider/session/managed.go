package session

// ManageMember remembers that the state of this run has a member.
func (s *Session) ManageMember(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	put(&s.members, name, true)
}

// ManagesMember tells whether the state of this run has a member, as far as that has been read: Terraform does not tell it when it plans to
// replace a resource that is tainted.
func (s *Session) ManagesMember(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.members[name]
}
