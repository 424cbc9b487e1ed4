package session

import (
	"context"
	"maps"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
)

// handOvers contains what the resources of a run need to know of each other to hand objects over.
type handOvers struct {
	// takers are the placements that take objects over, by the giving placement and by name. read are the takers that only data sources have previewed.
	takers, read map[string]map[string]engine.Taker
	// plans are the plans of the placements that are planned by now.
	plans map[string]PlannedObjects
	// former are the former names of the placements that are planned to be renamed, by their new names.
	former map[string]string
	// refused are the placements that an error about a hand-over names.
	refused map[string]bool
}

// PlannedObjects are the existing objects in the plan of a placement.
type PlannedObjects struct {
	Placed, Deleted, LeftAlone engine.Objects
	// Removal reports whether the whole placement is destroyed.
	Removal bool
	// Changes reports whether the configuration of the placement changes.
	Changes bool
}

// PlanTakeover records the objects that a placement is planned to take over from others; without a preview, that may be any object. It returns the plans of the
// giving placements that are planned by now, by name.
func (s *Session) PlanTakeover(taker string, from []engine.Giver, preview *engine.Preview) map[string]PlannedObjects {
	s.mu.Lock()
	defer s.mu.Unlock()
	record(&s.handOvers.takers, taker, from, preview)
	planned := map[string]PlannedObjects{}
	for _, giver := range from {
		if objects, found := s.handOvers.plans[giver.Name]; found {
			planned[giver.Name] = objects
		}
	}
	return planned
}

// ReadTakeover records the objects that a placement takes over from others according to a data source.
func (s *Session) ReadTakeover(taker string, from []engine.Giver, preview *engine.Preview) {
	s.mu.Lock()
	defer s.mu.Unlock()
	record(&s.handOvers.read, taker, from, preview)
}

func record(into *map[string]map[string]engine.Taker, taker string, from []engine.Giver, preview *engine.Preview) {
	for giver, takers := range *into {
		if !slices.ContainsFunc(from, func(g engine.Giver) bool { return g.Name == giver }) {
			delete(takers, taker)
		}
	}
	for _, giver := range from {
		takers := (*into)[giver.Name]
		put(&takers, taker, engine.NewTaker(taker, giver, preview))
		put(into, giver.Name, takers)
	}
}

// Takers returns the placements of the run that are planned by now and take objects over from the giver.
func (s *Session) Takers(giver string) engine.Takers {
	s.mu.Lock()
	defer s.mu.Unlock()
	return sortTakers(s.handOvers.takers[giver])
}

// ReadTakers returns the takers that are planned by now, and those that data sources have previewed.
func (s *Session) ReadTakers(giver string) engine.Takers {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := maps.Clone(s.handOvers.read[giver])
	for name, taker := range s.handOvers.takers[giver] {
		put(&all, name, taker)
	}
	return sortTakers(all)
}

func sortTakers(takers map[string]engine.Taker) engine.Takers {
	var out engine.Takers
	for _, name := range slices.Sorted(maps.Keys(takers)) {
		out = append(out, takers[name])
	}
	return out
}

// PlanObjects records the existing objects in the plan of a placement or of its removal. It returns the losses that this plan and the plans made so far for
// other placements cause together, and the takers that are planned by now.
//
// If the taker of a loss is created, the two placements may be a single one whose resource has a new address.
func (s *Session) PlanObjects(name string, preview *engine.Preview, removal, changes bool) ([]report.Loss, engine.Takers) {
	s.mu.Lock()
	defer s.mu.Unlock()
	planned := PlannedObjects{
		Placed: preview.Placed(), Deleted: preview.Deleted(), LeftAlone: preview.LeftAlone(), Removal: removal, Changes: changes,
	}
	put(&s.handOvers.plans, name, planned)
	var out []report.Loss
	add := func(giver string, gives PlannedObjects, taker string, takes PlannedObjects) {
		if lost := gives.Deleted.Overlaps(takes.LeftAlone); len(lost) > 0 {
			_, exists := s.existing[taker]
			out = append(out, report.Loss{Giver: giver, Taker: taker, Removal: gives.Removal, Renames: !exists, Unchanged: !takes.Changes, Objects: lost})
		}
	}
	for _, other := range slices.Sorted(maps.Keys(s.handOvers.plans)) {
		if other == name {
			continue
		}
		otherPlan := s.handOvers.plans[other]
		add(name, planned, other, otherPlan)
		add(other, otherPlan, name, planned)
	}
	return out, sortTakers(s.handOvers.takers[name])
}

// AwaitTakers waits until the given placements, which take objects over from a removed one, are applied. Terraform can remove a resource while it creates the
// resource's dependencies. Like a removal that waits for another one, AwaitTakers waits only while another operation of the run is in progress or could start
// within [grace].
func (s *Session) AwaitTakers(ctx context.Context, takers []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.progress.notify() // Terraform may start the takers after the removal
	for slices.ContainsFunc(takers, func(name string) bool { return !s.applied[name] }) && s.await(ctx, grace) {
		continue
	}
}

// PlanRename records that a placement is planned to have another name.
func (s *Session) PlanRename(former, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	put(&s.handOvers.former, name, former)
}

// PlannedRename returns both names of a placement that is planned to be renamed. name is one of them.
func (s *Session) PlannedRename(name string) (former, is string, found bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for is, former := range s.handOvers.former {
		if name == is || name == former {
			return former, is, true
		}
	}
	return "", "", false
}

// IsPlanned reports whether a resource of this run plans to create, keep or destroy the placement of a name.
func (s *Session) IsPlanned(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, planned := s.plannedConfigs[name]
	return planned || s.destroys[name]
}
