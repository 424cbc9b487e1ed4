package session

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
)

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

// ManageOverride records that a resource of this run manages an override.
func (s *Session) ManageOverride(reference override.Reference) {
	s.mu.Lock()
	defer s.mu.Unlock()
	put(&s.overrides, reference, true)
}

// FindUnmanaged lists in a preview the overrides that no resource of this run manages, as far as Terraform has read or planned them by now.
func (s *Session) FindUnmanaged(preview *engine.Preview) {
	s.mu.Lock()
	defer s.mu.Unlock()
	preview.FindUnmanaged(func(reference override.Reference) bool { return s.overrides[reference] })
}
