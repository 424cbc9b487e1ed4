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

// ManagesOverride reports whether the state of this run has an override, as far as that has been read, or a resource is planned to be one.
func (s *Session) ManagesOverride(reference override.Reference) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.overrides[reference]
}

// ManageEnvelope records that the state of this run has an envelope.
func (s *Session) ManageEnvelope(reference engine.Reference) {
	s.mu.Lock()
	defer s.mu.Unlock()
	put(&s.envelopes, reference, true)
}

// ManagesEnvelope reports whether the state of this run has an envelope, as far as that has been read.
func (s *Session) ManagesEnvelope(reference engine.Reference) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.envelopes[reference]
}

// PlanRemoval records the removal that comes first when a resource is replaced by another one: Terraform plans such a resource a second time as if there
// were nothing before it.
func (s *Session) PlanRemoval(what string, removal engine.World) {
	s.mu.Lock()
	defer s.mu.Unlock()
	put(&s.removals, what, removal)
}

// PlannedRemoval returns the removal that comes before a resource; the zero value for none.
func (s *Session) PlannedRemoval(what string) engine.World {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.removals[what]
}

// FindUnmanaged lists in a preview the overrides that no resource of this run manages, as far as Terraform has read or planned them by now.
func (s *Session) FindUnmanaged(preview *engine.Preview) {
	s.mu.Lock()
	defer s.mu.Unlock()
	preview.FindUnmanaged(func(reference override.Reference) bool { return s.overrides[reference] })
}
