package session

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
)

// ManageMember records that the state of this run has a member.
func (s *Session) ManageMember(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	put(&s.members, name, true)
}

// ManagesMember reports whether the state of this run has a member, as far as Terraform has read the state. Terraform does not pass the prior state to the plan
// that replaces a tainted resource.
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

// ManagesOverride reports whether an override is in the state of this run, as far as Terraform has read the state, or is planned by a resource.
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

// ManagesEnvelope reports whether an envelope is in the state of this run, as far as Terraform has read the state.
func (s *Session) ManagesEnvelope(reference engine.Reference) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.envelopes[reference]
}

// PlanRemoval records the removal with which a replacement begins. Terraform plans such a resource a second time, without a prior state.
func (s *Session) PlanRemoval(what string, removal engine.World) {
	s.mu.Lock()
	defer s.mu.Unlock()
	put(&s.removals, what, removal)
}

// PlannedRemoval returns the removal that precedes the creation of a resource, or the zero value.
func (s *Session) PlannedRemoval(what string) engine.World {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.removals[what]
}

// FindUnmanaged lists in a preview the overrides that no resource of this run manages, as far as Terraform has read or planned the resources by now.
func (s *Session) FindUnmanaged(preview *engine.Preview) {
	s.mu.Lock()
	defer s.mu.Unlock()
	preview.FindUnmanaged(func(reference override.Reference) bool { return s.overrides[reference] })
}
