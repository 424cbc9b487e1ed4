package session

import (
	"maps"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
)

// Terraform plans a resource after those that it depends on. What they plan is told here, so that it is part of the world that a placement
// is planned in. Terraform applies in another run of the provider, where it plans each resource once more right before it applies it: what
// has been applied, or tried to, is then forgotten, because from there on the clusters themselves say what became of it.

// PlanMember tells what becomes of a member.
func (s *Session) PlanMember(name string, planned engine.Planned[member.Spec]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	put(&s.world.Members, name, planned)
}

// MemberApplied tells that an apply of the member has ended.
func (s *Session) MemberApplied(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.world.Members, name)
	s.world.Applied = true
}

// PlanOverride tells what becomes of an override.
func (s *Session) PlanOverride(reference override.Reference, planned engine.Planned[engine.Override]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	put(&s.world.Overrides, reference, planned)
	put(&s.overrides, reference, true)
}

// OverrideApplied tells that an apply of the override has ended.
func (s *Session) OverrideApplied(reference override.Reference) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.world.Overrides, reference)
	s.world.Applied = true
}

// PlanEnvelope tells what becomes of an envelope.
func (s *Session) PlanEnvelope(reference engine.Reference, planned engine.Planned[envelope.Spec]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	put(&s.world.Envelopes, reference, planned)
}

// EnvelopeApplied tells that an apply of the envelope has ended.
func (s *Session) EnvelopeApplied(reference engine.Reference) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.world.Envelopes, reference)
	s.world.Applied = true
}

// PlanUnnamed tells that a thing of a kind is planned whose name is not known yet.
func (s *Session) PlanUnnamed(kind string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.world.Unnamed = append(s.world.Unnamed, kind)
}

// World is what is planned by now and not applied.
func (s *Session) World() engine.World {
	s.mu.Lock()
	defer s.mu.Unlock()
	return engine.World{
		Members: maps.Clone(s.world.Members), Overrides: maps.Clone(s.world.Overrides), Envelopes: maps.Clone(s.world.Envelopes),
		Unnamed: slices.Clone(s.world.Unnamed), Applied: s.world.Applied,
	}
}

func put[K comparable, V any](into *map[K]V, key K, value V) {
	if *into == nil {
		*into = map[K]V{}
	}
	(*into)[key] = value
}
