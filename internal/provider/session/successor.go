package session

import (
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// Successor is a placement that was created in this run and was to place objects that another placement has.
type Successor struct {
	Name    string
	Objects []manifest.Identifier
}

// Created notes what a placement that was created could not have because others of the fleet have it.
func (s *Session) Created(name string, objects []engine.ObjectResult) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range objects {
		if o.Failure == nil || o.Owner.Kind != takeover.OwnerPlacement || o.Action == takeover.ActionTakeOverFrom { // of the last, the removal keeps the object
			continue
		}
		next := s.successors[o.Owner.Name]
		next.Name = name
		if !slices.Contains(next.Objects, o.Identifier) { // it may be so on every cluster
			next.Objects = append(next.Objects, o.Identifier)
		}
		put(&s.successors, o.Owner.Name, next)
	}
}

// Successor is the placement that was created in this run and could not have what the named one has; found is false for none. To remove the
// named one now would remove objects that are to be there.
func (s *Session) Successor(name string) (next Successor, found bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next, found = s.successors[name]
	return next, found
}
