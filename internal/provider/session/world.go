package session

import (
	"maps"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
)

// Terraform plans a resource after its dependencies. The session records the planned changes of the dependencies, so that the preview of a placement includes
// them. Terraform applies in another provider process, where it plans each resource again right before it applies the resource. After an apply, successful or
// not, the session drops the planned change, because the clusters then have the actual state.

// PlanChange records the planned change of a resource.
func (s *Session) PlanChange(change engine.World) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, planned := range change.Members {
		put(&s.world.Members, name, planned)
	}
	for reference, planned := range change.Overrides {
		put(&s.world.Overrides, reference, planned)
		put(&s.overrides, reference, true)
	}
	for reference, planned := range change.Envelopes {
		put(&s.world.Envelopes, reference, planned)
	}
	s.world.Unnamed = append(s.world.Unnamed, change.Unnamed...)
}

// MemberApplied records that an apply of the member has ended.
func (s *Session) MemberApplied(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.world.Members, name)
	delete(s.plannedMembers, name)
	s.world.Applied = true
}

// OverrideApplied records that an apply of the override has ended.
func (s *Session) OverrideApplied(reference override.Reference) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.world.Overrides, reference)
	s.world.Applied = true
}

// EnvelopeApplied records that an apply of the envelope has ended.
func (s *Session) EnvelopeApplied(reference engine.Reference) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.world.Envelopes, reference)
	s.world.Applied = true
}

// World returns the changes that are planned by now and not yet applied.
func (s *Session) World() engine.World {
	s.mu.Lock()
	defer s.mu.Unlock()
	return engine.World{
		Members: maps.Clone(s.world.Members), Overrides: maps.Clone(s.world.Overrides), Envelopes: maps.Clone(s.world.Envelopes),
		Kinds: s.kinds.Clone(), Namespaces: s.namespaces.Clone(), Unnamed: slices.Clone(s.world.Unnamed), Applied: s.world.Applied,
	}
}

func put[K comparable, V any](into *map[K]V, key K, value V) {
	if *into == nil {
		*into = map[K]V{}
	}
	(*into)[key] = value
}
