package session

import (
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// ClaimName records that a placement is planned under a name, and reports whether no other resource of this run has that name. exists reports whether the
// resource is in the state. If Terraform replaces a resource, it plans the resource again, from the same configuration and without a prior state. ClaimName
// then returns true again.
func (s *Session) ClaimName(name string, config tftypes.Value, exists bool) bool {
	p := s.lock(name)
	defer s.mu.Unlock()
	return isOnly(&p.config, config, !exists && p.existing != nil)
}

// IsOnlyMember records that a member is planned under a name, and reports whether no other resource of this run has that name. exists reports whether the
// resource is in the state.
func (s *Session) IsOnlyMember(name string, config tftypes.Value, exists bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	planned := s.plannedMembers[name]
	defer func() { put(&s.plannedMembers, name, planned) }()
	return isOnly(&planned, config, !exists && s.Members.Has(name))
}

// isOnly records the configuration of a name, unless one is recorded already. It reports whether none was recorded, or whether the recorded configuration is
// the same and again is true. again reports whether the resource with the name may be planned a second time.
func isOnly(planned **tftypes.Value, config tftypes.Value, again bool) bool {
	if *planned != nil {
		return again && (*planned).Equal(config)
	}
	*planned = &config
	return true
}

// PassesOn records that a placement is planned to be renamed from former to name; former is empty if the placement is not renamed. It reports whether one of
// the two names is the former name of one placement of this run and the planned name of another. shared is that name; it has no meaning if passesOn is false.
func (s *Session) PassesOn(former, name string) (shared string, passesOn bool) {
	p := s.lock(name)
	defer s.mu.Unlock()
	if former != "" {
		if s.placement(former).config != nil {
			return former, true
		}
		s.placement(former).isPassedOn = true
	}
	return name, p.isPassedOn
}

// PlanPlacementType records the planned type of a placement; "" if it is known after apply.
func (s *Session) PlanPlacementType(name string, planned placement.PlacementType) {
	p := s.lock(name)
	defer s.mu.Unlock()
	p.placementType = &planned
}

// PlacementType returns the planned type of a placement, if the placement is planned by now.
func (s *Session) PlacementType(name string) (planned placement.PlacementType, found bool) {
	p := s.lock(name)
	defer s.mu.Unlock()
	if p.placementType == nil {
		return "", false
	}
	return *p.placementType, true
}

// MarkDestroyed records that the placement with a name is planned to be destroyed. It reports whether no resource of this run is planned under the name.
// MarkDestroyed is not called for a replacement, because Terraform then requests no destroy plan.
func (s *Session) MarkDestroyed(name string) bool {
	p := s.lock(name)
	defer s.mu.Unlock()
	p.isDestroyed = true
	return p.config == nil
}

// IsDestroyed reports whether the placement with a name is planned to be destroyed.
func (s *Session) IsDestroyed(name string) bool {
	p := s.lock(name)
	defer s.mu.Unlock()
	return p.isDestroyed
}

// Exists records a placement in the state of this run. If Terraform then plans a placement with the same name without a prior state, the plan replaces the
// recorded placement. For a tainted resource, this is the only plan; for other resources, Terraform plans an update first.
func (s *Session) Exists(name string, existing engine.Placement) {
	p := s.lock(name)
	defer s.mu.Unlock()
	p.existing = &existing
}

// Replaced returns the placement that [Session.Exists] recorded under a name; nil for none. A placement that is planned without a prior state replaces it.
func (s *Session) Replaced(name string) *engine.Placement {
	p := s.lock(name)
	defer s.mu.Unlock()
	return p.existing
}
