package session

import (
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// Successor is a placement that was created in this run and could not place objects of another placement.
type Successor struct {
	Name    string
	Objects []manifest.Identifier
}

// Created records the objects that a new placement could not place because they belong to other placements of the fleet.
func (s *Session) Created(name string, objects []engine.ObjectResult) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range objects {
		if o.Failure == nil || o.Owner.Kind != takeover.OwnerPlacement || o.Action == takeover.ActionTakeOverFrom { // a removal keeps an object that is taken over
			continue
		}
		next := &s.placement(o.Owner.Name).successor
		next.Name = name
		if !slices.Contains(next.Objects, o.Identifier) { // every cluster can report the same object
			next.Objects = append(next.Objects, o.Identifier)
		}
	}
}

// Successor returns the placement that was created in this run and could not place objects of the named placement. If there is one, the removal of the named
// placement would delete objects that the configuration still contains.
func (s *Session) Successor(name string) (next Successor, found bool) {
	p := s.lock(name)
	defer s.mu.Unlock()
	return p.successor, p.successor.Name != ""
}
