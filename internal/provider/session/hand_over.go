package session

import (
	"context"
	"maps"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
)

// handOvers is what the resources of a run know of each other to hand objects over.
type handOvers struct {
	// takers are the placements that take objects over, by the giving placement and by name. read are those that only data sources have previewed.
	takers, read map[string]map[string]engine.Taker
	// plans are those of the placements that are planned by now.
	plans map[string]PlannedObjects
	// former are the former names of the placements that are planned to be renamed, by their new names.
	former map[string]string
	// refused are the placements that an error about a hand-over names.
	refused map[string]bool
}

// PlannedObjects are existing objects that the plan of a placement speaks of.
type PlannedObjects struct {
	Placed, Deleted, LeftAlone engine.Objects
	// Removal says that the whole placement is destroyed.
	Removal bool
	// Changes says that the configuration of the placement changes.
	Changes bool
}

// PlanTakeover records what a placement is planned to take over from others. Without a preview that may be any object. It returns the plans of those that are
// planned by now, by name.
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

// ReadTakeover records what a data source shows that a placement takes over from others.
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

// Takers are the placements of the run that are planned by now and take objects over from one placement.
func (s *Session) Takers(giver string) engine.Takers {
	s.mu.Lock()
	defer s.mu.Unlock()
	return sorted(s.handOvers.takers[giver])
}

// ReadTakers are the same, with those that data sources have previewed.
func (s *Session) ReadTakers(giver string) engine.Takers {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := maps.Clone(s.handOvers.read[giver])
	for name, taker := range s.handOvers.takers[giver] {
		put(&all, name, taker)
	}
	return sorted(all)
}

func sorted(takers map[string]engine.Taker) engine.Takers {
	var out engine.Takers
	for _, name := range slices.Sorted(maps.Keys(takers)) {
		out = append(out, takers[name])
	}
	return out
}

// PlanObjects records what the plan of a placement, or of its removal, shows of objects that exist. It returns the losses that this plan and those of the
// placements that are planned by now cause together, and the takers that are planned by now.
//
// The two placements of a loss may be one whose resource has another address if the taker is created.
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
		its := s.handOvers.plans[other]
		add(name, planned, other, its)
		add(other, its, name, planned)
	}
	return out, sorted(s.handOvers.takers[name])
}

// AwaitTakers waits until the placements were applied that take objects over from one that is removed. Terraform removes a resource beside the creation of what it
// depends on. Like a removal that waits for another one, it waits only while something else of the run is in progress, or could start within a moment.
func (s *Session) AwaitTakers(ctx context.Context, takers []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.progress.note() // Terraform may start the takers after the removal
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

// IsPlanned reports whether a resource of this run is planned to be the placement of a name, or to be no longer.
func (s *Session) IsPlanned(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, planned := s.planned[name]
	return planned || s.going[name]
}
