package session

import (
	"context"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
)

// PlannedObjects are the objects that exist on the clusters, according to the plan of a placement.
type PlannedObjects struct {
	// Placed, Deleted and LeftAlone are the results of the methods of [engine.Preview] with the same names.
	Placed, Deleted, LeftAlone engine.Objects
	// Removal reports that the plan destroys the placement, Changes that it changes the placement.
	Removal bool
	Changes bool
}

// PlanTakeover records the objects that a placement, the taker, is planned to take over from other placements, the givers. If preview is nil, the taker may
// take over any object of the givers. PlanTakeover returns the planned objects of each giver that is planned by now, by the giver's name.
func (s *Session) PlanTakeover(taker string, from []engine.Giver, preview *engine.Preview) map[string]PlannedObjects {
	p := s.lock(taker)
	defer s.mu.Unlock()
	p.takes = newTakers(taker, from, preview)
	planned := map[string]PlannedObjects{}
	for _, giver := range from {
		if objects := s.placement(giver.Name).objects; objects != nil {
			planned[giver.Name] = *objects
		}
	}
	return planned
}

// ReadTakeover records the objects that a placement takes over from others according to the preview of a data source.
func (s *Session) ReadTakeover(taker string, from []engine.Giver, preview *engine.Preview) {
	p := s.lock(taker)
	defer s.mu.Unlock()
	p.readTakes = newTakers(taker, from, preview)
}

func newTakers(taker string, from []engine.Giver, preview *engine.Preview) map[string]engine.Taker {
	out := map[string]engine.Taker{}
	for _, giver := range from {
		out[giver.Name] = engine.NewTaker(taker, giver, preview)
	}
	return out
}

// Takers returns the placements of the run that are planned by now and name the giver in takes_over_from or takes_over_from_removed. Some of them may take no
// object over.
func (s *Session) Takers(giver string) engine.Takers {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.takers(giver)
}

func (s *Session) takers(giver string) engine.Takers {
	var out engine.Takers
	for _, p := range s.sorted() {
		if taker, takes := p.takes[giver]; takes {
			out = append(out, taker)
		}
	}
	return out
}

// ReadTakers returns the takers of a giver that are planned by now, and those that data sources have previewed.
func (s *Session) ReadTakers(giver string) engine.Takers {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out engine.Takers
	for _, p := range s.sorted() {
		if taker, takes := p.takes[giver]; takes {
			out = append(out, taker)
		} else if taker, takes := p.readTakes[giver]; takes {
			out = append(out, taker)
		}
	}
	return out
}

// PlanObjects records the existing objects in the plan of a placement. removal reports whether the plan destroys the placement, changes whether it changes the
// placement. PlanObjects returns the losses between this placement and the placements planned so far, and the takers of this placement.
//
// If the taker of a loss is a new placement, it may be the giver under a new address and name, so [report.Loss].Renames is true. A caller whose engine cannot
// rename placements sets Renames to false.
func (s *Session) PlanObjects(name string, preview *engine.Preview, removal, changes bool) ([]report.Loss, engine.Takers) {
	p := s.lock(name)
	defer s.mu.Unlock()
	p.objects = &PlannedObjects{
		Placed: preview.Placed(), Deleted: preview.Deleted(), LeftAlone: preview.LeftAlone(), Removal: removal, Changes: changes,
	}
	var out []report.Loss
	add := func(giver, taker *placementInRun) {
		if lost := giver.objects.Deleted.Overlaps(taker.objects.LeftAlone); len(lost) > 0 {
			out = append(out, report.Loss{
				Giver: giver.name, Taker: taker.name, Removal: giver.objects.Removal, Renames: taker.existing == nil, Unchanged: !taker.objects.Changes,
				Objects: lost,
			})
		}
	}
	for _, other := range s.sorted() {
		if other != p && other.objects != nil {
			add(p, other)
			add(other, p)
		}
	}
	return out, s.takers(name)
}

// AwaitTakers waits until the given placements, which take objects over from a removed one, are applied. Terraform can remove a resource while it creates the
// resource's dependencies. Like a removal that waits for another one, AwaitTakers waits only while another operation of the run is in progress or could start
// within [grace].
func (s *Session) AwaitTakers(ctx context.Context, takers []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.progress.notify() // Terraform may start the takers after the removal
	for slices.ContainsFunc(takers, func(name string) bool { return !s.placement(name).isApplied }) && s.await(ctx, grace) {
		continue
	}
}

// PlanRename records that a placement is planned to be renamed.
func (s *Session) PlanRename(former, name string) {
	p := s.lock(name)
	defer s.mu.Unlock()
	p.formerName = former
}

// PlannedRename returns the former and the planned name of a placement that is planned to be renamed. name is one of the two names.
func (s *Session) PlannedRename(name string) (former, planned string, found bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.placements {
		if p.formerName != "" && (name == p.name || name == p.formerName) {
			return p.formerName, p.name, true
		}
	}
	return "", "", false
}

// IsPlanned reports whether the plan of a resource in this run contains the placement with a name, or destroys it. A placement that is applied by now is no
// longer planned.
func (s *Session) IsPlanned(name string) bool {
	p := s.lock(name)
	defer s.mu.Unlock()
	return p.config != nil || p.isDestroyed
}
