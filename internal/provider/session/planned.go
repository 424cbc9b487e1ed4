package session

import (
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Alone notes that a placement is planned under a name, and tells whether no other resource of this run is. A resource is planned a second
// time, as if there were nothing, if it is replaced: from the same configuration.
func (s *Session) Alone(name string, config tftypes.Value, exists bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, replaceable := s.existing[name]
	return isOnly(&s.planned, name, config, !exists && replaceable)
}

// IsOnlyMember records that a member is planned under a name, and reports whether no other resource of this run is. exists reports whether the state has
// the resource.
func (s *Session) IsOnlyMember(name string, config tftypes.Value, exists bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return isOnly(&s.plannedMembers, name, config, !exists && s.members[name])
}

// isOnly records a configuration under a name, and reports whether there was none, or the same one and it may be planned again.
func isOnly(planned *map[string]tftypes.Value, name string, config tftypes.Value, again bool) bool {
	if before, found := (*planned)[name]; found {
		return again && before.Equal(config)
	}
	put(planned, name, config)
	return true
}

// PassesOn records that a placement is planned under a name and has a former one, which is empty for none. It reports whether one of these names is the former
// name of one placement of this run and the planned name of another, and returns that name.
func (s *Session) PassesOn(former, name string) (shared string, passesOn bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, planned := s.planned[former]; planned {
		return former, true
	}
	if former != "" {
		put(&s.renamed, former, true)
	}
	return name, s.renamed[name]
}

// PlanPlacementType tells of which type a placement is planned to be; "" if that is not known yet.
func (s *Session) PlanPlacementType(name string, planned placement.PlacementType) {
	s.mu.Lock()
	defer s.mu.Unlock()
	put(&s.types, name, planned)
}

// PlacementType is the type that a placement is planned to have, if it is planned by now.
func (s *Session) PlacementType(name string) (planned placement.PlacementType, found bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	planned, found = s.types[name]
	return planned, found
}

// Goes notes that the placement of a name is planned to be destroyed, for good: of what is replaced Terraform asks no plan of the destruction. It tells
// whether no resource of this run is planned under the name.
func (s *Session) Goes(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	put(&s.going, name, true)
	_, planned := s.planned[name]
	return !planned
}

// IsGoing tells whether the placement of a name is planned to be destroyed.
func (s *Session) IsGoing(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.going[name]
}
