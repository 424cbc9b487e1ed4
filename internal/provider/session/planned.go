package session

import (
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// ClaimName records that a placement is planned under a name, and reports whether no other resource of this run has that name. Terraform plans a resource that it
// replaces a second time, from the same configuration and without a prior state.
func (s *Session) ClaimName(name string, config tftypes.Value, exists bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, replaceable := s.existing[name]
	return isOnly(&s.plannedConfigs, name, config, !exists && replaceable)
}

// IsOnlyMember records that a member is planned under a name, and reports whether no other resource of this run has that name. exists reports whether the
// resource is in the state.
func (s *Session) IsOnlyMember(name string, config tftypes.Value, exists bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return isOnly(&s.plannedMembers, name, config, !exists && s.members[name])
}

// isOnly records a configuration under a name. It reports whether the name is new, or has the same configuration and may be planned again.
func isOnly(planned *map[string]tftypes.Value, name string, config tftypes.Value, again bool) bool {
	if before, found := (*planned)[name]; found {
		return again && before.Equal(config)
	}
	put(planned, name, config)
	return true
}

// PassesOn records the planned name of a placement and its former name, which is empty if the placement is not renamed. It reports whether one of the two is
// the former name of one placement of this run and the planned name of another, and returns that name.
func (s *Session) PassesOn(former, name string) (shared string, passesOn bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, planned := s.plannedConfigs[former]; planned {
		return former, true
	}
	if former != "" {
		put(&s.formerNames, former, true)
	}
	return name, s.formerNames[name]
}

// PlanPlacementType records the planned type of a placement; "" if it is known after apply.
func (s *Session) PlanPlacementType(name string, planned placement.PlacementType) {
	s.mu.Lock()
	defer s.mu.Unlock()
	put(&s.types, name, planned)
}

// PlacementType returns the planned type of a placement, if the placement is planned by now.
func (s *Session) PlacementType(name string) (planned placement.PlacementType, found bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	planned, found = s.types[name]
	return planned, found
}

// MarkDestroyed records that the placement of a name is planned to be destroyed, and not replaced: Terraform does not request a destroy plan for a replacement. It
// reports
// whether no resource of this run is planned under the name.
func (s *Session) MarkDestroyed(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	put(&s.destroys, name, true)
	_, planned := s.plannedConfigs[name]
	return !planned
}

// IsDestroyed reports whether the placement of a name is planned to be destroyed.
func (s *Session) IsDestroyed(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.destroys[name]
}
