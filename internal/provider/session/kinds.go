package session

import (
	"context"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

// Kinds and Namespaces that one placement brings and another one needs: Terraform plans and applies the two at the same time, or in any order, if neither depends on the
// other one.

const (
	// arrivalGrace is how long an apply waits for a kind that nothing is known to bring.
	arrivalGrace = 3 * time.Second
	// arrivalLimit is how long an apply waits for such a kind while other placements are applied.
	arrivalLimit = 30 * time.Second
	// servingTime is how long a cluster may take to serve a kind after its definition was applied, or an apply to start after its last plan.
	servingTime = 10 * time.Second
)

// definer is a placement that defines kinds, in the process that applies it.
type definer struct {
	kinds []schema.GroupVersionKind
	// applying reports whether its apply is in progress; since is when that began or ended, or when it was planned.
	applying bool
	since    time.Time
}

// Define records which kinds the manifests of a planned placement define.
func (s *Session) Define(name string, kinds []schema.GroupVersionKind) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(kinds) > 0 {
		put(&s.definers, name, definer{kinds: kinds, since: time.Now()})
	}
}

// Definer returns another placement of the run whose manifests define a kind, "" if none is known to.
func (s *Session) Definer(name string, kind schema.GroupVersionKind) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, other := range slices.Sorted(maps.Keys(s.definers)) {
		if other != name && slices.Contains(s.definers[other].kinds, kind) {
			return other
		}
	}
	return ""
}

// ApplyPlacement records that the apply of a placement is in progress until end is called.
func (s *Session) ApplyPlacement(name string) (end func()) {
	set := func(applying bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if d, found := s.definers[name]; found {
			d.applying, d.since = applying, time.Now()
			s.definers[name] = d
		}
	}
	set(true)
	work := s.Work()
	return func() {
		set(false)
		work()
	}
}

// MayArrive returns a function that reports whether another placement of the run may still bring one of some kinds, or a Namespace, while the named one is
// applied.
func (s *Session) MayArrive(name string) func(kinds []schema.GroupVersionKind) bool {
	var began time.Time // of the wait
	return func(kinds []schema.GroupVersionKind) bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		now := time.Now()
		if began.IsZero() {
			began = now
		}
		for other, d := range s.definers {
			isNeeded := func(kind schema.GroupVersionKind) bool { return slices.Contains(kinds, kind) }
			if other != name && slices.ContainsFunc(d.kinds, isNeeded) && (d.applying || now.Sub(d.since) < servingTime) {
				return true
			}
		}
		waited := now.Sub(began)
		return waited < arrivalGrace || s.progress.busy > 1 && waited < arrivalLimit
	}
}

// PlanKinds records which kinds and Namespaces a planned placement brings, and which it lacks. If it lacks any, it waits while other placements are planned
// or read. It returns true if another placement brings one by now: the preview is to be made again, in this world.
func (s *Session) PlanKinds(ctx context.Context, preview *engine.Preview, world *engine.World) (again bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kinds.Add(preview.Placement, preview.Brings())
	s.namespaces.Add(preview.Placement, preview.CreatedNamespaces())
	lacks, homeless := preview.Lacks(), preview.LackedNamespaces()
	isBrought := func(l engine.Lack) bool {
		return slices.ContainsFunc(l.Clusters, func(cluster string) bool {
			return s.kinds[cluster][l.Kind] != "" && world.Brings(cluster, l.Kind) == ""
		})
	}
	isCreated := func(cluster, namespace string) bool {
		return s.namespaces[cluster][namespace] != "" && world.Namespaces[cluster][namespace] == ""
	}
	s.progress.busy--
	s.progress.note()
	defer func() { s.progress.busy++ }()
	for len(lacks)+len(homeless) > 0 {
		if slices.ContainsFunc(lacks, isBrought) || anyOf(homeless, isCreated) {
			world.Kinds, world.Namespaces = s.kinds.Clone(), s.namespaces.Clone()
			return true
		}
		if !s.await(ctx, planningGrace) {
			break
		}
	}
	put(&s.lacks, preview.Placement, lacks)
	preview.Supplies, preview.Elsewhere = s.supplies(preview), s.elsewhere(lacks)
	return false
}

// elsewhere are the kinds among the lacks that a planned placement brings to other clusters than those that lack them.
func (s *Session) elsewhere(lacks []engine.Lack) []engine.Lack {
	var out []engine.Lack
	for _, lack := range lacks {
		for _, cluster := range slices.Sorted(maps.Keys(s.kinds)) {
			if by := s.kinds[cluster][lack.Kind]; by != "" {
				out = append(out, engine.Lack{Placement: by, Kind: lack.Kind, Clusters: lack.Clusters})
				break
			}
		}
	}
	return out
}

// supplies are what placements that were planned before lack and this one brings.
func (s *Session) supplies(preview *engine.Preview) []engine.Lack {
	brings := preview.Brings()
	var out []engine.Lack
	for _, name := range slices.Sorted(maps.Keys(s.lacks)) {
		for _, lack := range s.lacks[name] {
			lack.Clusters = slices.DeleteFunc(slices.Clone(lack.Clusters), func(cluster string) bool { return !slices.Contains(brings[cluster], lack.Kind) })
			if name != preview.Placement && len(lack.Clusters) > 0 {
				out = append(out, lack)
			}
		}
	}
	return out
}

// anyOf reports whether something is so of a name on a cluster.
func anyOf(names map[string][]string, is func(cluster, name string) bool) bool {
	for cluster, on := range names {
		if slices.ContainsFunc(on, func(name string) bool { return is(cluster, name) }) {
			return true
		}
	}
	return false
}

// withdrawKinds removes what a placement brings and lacks, once it is applied: from then on the clusters serve the kinds, or do not.
func (s *Session) withdrawKinds(name string) {
	delete(s.lacks, name)
	s.namespaces.Withdraw(name)
	s.kinds.Withdraw(name)
}
