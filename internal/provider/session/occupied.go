package session

import (
	"context"
	"slices"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// planningGrace is how long a plan waits for other placements to be planned while nothing else is planned or read.
const planningGrace = 200 * time.Millisecond

// Show records the planned deletions that depend on placements with an unknown [engine.Fate]. It waits for the plans of these placements while any placement is
// being planned or read. If the fate of one of them becomes known, it returns false, and the caller plans the removal again.
func (r *Removal) Show(ctx context.Context, preview *engine.Preview) bool {
	var found []engine.Occupied
	for _, cluster := range preview.Clusters {
		for _, o := range cluster.Objects {
			if o.Action == takeover.ActionDefer && o.Obstacle == takeover.ObstacleOccupied {
				found = append(found, engine.Occupied{Identifier: o.Identifier, Cluster: cluster.Name, Placement: r.name, Open: o.Contents.Open})
			}
		}
	}
	s := r.session
	s.mu.Lock()
	defer s.mu.Unlock()
	isKnown := func(name string) bool { return r.fate(name) != engine.FateUnknown }
	s.progress.busy--
	s.progress.notify()
	defer func() { s.progress.busy++ }()
	for len(found) > 0 {
		if slices.ContainsFunc(found, func(o engine.Occupied) bool { return slices.ContainsFunc(o.Open, isKnown) }) {
			return false
		}
		if !s.await(ctx, planningGrace) {
			break
		}
	}
	s.placement(r.name).occupied = found
	return true
}

// Freed returns the deletions in other plans that depend on the removal of this placement. It omits a deletion that also depends on a placement that is not
// planned to be destroyed.
func (r *Removal) Freed() []engine.Occupied {
	s := r.session
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []engine.Occupied
	stays := func(name string) bool { return !s.placement(name).isDestroyed }
	for _, holder := range s.sorted() {
		for _, o := range holder.occupied {
			if slices.Contains(o.Open, r.name) && !slices.ContainsFunc(o.Open, stays) {
				out = append(out, o)
			}
		}
	}
	return out
}
