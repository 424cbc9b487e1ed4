package session

import (
	"maps"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
)

// Terraform plans a resource after its dependencies. The session records the planned changes of the dependencies, so that the preview of a placement includes
// them. After the apply of a resource, successful or not, the session drops the planned change, because the clusters then have the actual state.

// PlanChange records the planned change of a resource.
func (s *Session) PlanChange(change engine.World) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, planned := range change.Members {
		put(&s.world.Members, name, planned)
	}
	for reference, planned := range change.Overrides {
		put(&s.world.Overrides, reference, planned)
		s.Overrides.Add(reference)
	}
	for reference, planned := range change.Envelopes {
		put(&s.world.Envelopes, reference, planned)
	}
	s.world.Unnamed = append(s.world.Unnamed, change.Unnamed...)
}

// MemberApplied records that an apply of the member has ended.
func (s *Session) MemberApplied(name string) {
	s.dropPlanned(func(planned engine.World) {
		delete(planned.Members, name)
		delete(s.plannedMembers, name)
	})
}

// OverrideApplied records that an apply of the override has ended.
func (s *Session) OverrideApplied(reference override.Reference) {
	s.dropPlanned(func(planned engine.World) { delete(planned.Overrides, reference) })
}

// EnvelopeApplied records that an apply of the envelope has ended.
func (s *Session) EnvelopeApplied(reference engine.Reference) {
	s.dropPlanned(func(planned engine.World) { delete(planned.Envelopes, reference) })
}

func (s *Session) dropPlanned(remove func(planned engine.World)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	remove(s.world)
	s.world.Applied = true
}

// PlanRemoval records the removal with which a replacement begins. what is a key for the resource. Terraform then plans the resource again, without a prior
// state.
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
