package session

import (
	"context"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

// A placement can define a kind or create a Namespace that another placement needs. If neither depends on the other, Terraform plans and applies the two at the
// same time, or in any order.

const (
	// arrivalGrace is how long an apply waits for a Namespace, or for a kind that no placement of the run is known to define.
	arrivalGrace = 3 * time.Second
	// arrivalLimit replaces arrivalGrace while other operations on placements are in progress.
	arrivalLimit = 30 * time.Second
	// servingTime limits two waits for a kind that another placement defines: from the last plan of that placement until its apply starts, and from the end of
	// that apply until the clusters serve the kind. While that apply is in progress, the wait has no limit.
	servingTime = 10 * time.Second
)

type definer struct {
	kinds []schema.GroupVersionKind
	// applying reports that an apply of the placement is in progress. since is when the placement was last planned, or its apply last started or ended.
	applying bool
	since    time.Time
}

// Define records the kinds that a planned placement defines.
func (s *Session) Define(name string, kinds []schema.GroupVersionKind) {
	p := s.lock(name)
	defer s.mu.Unlock()
	p.definer = definer{kinds: kinds, since: time.Now()}
}

// Definer returns a placement of the run, other than the named one, whose manifests define a kind. It returns "" if none is known.
func (s *Session) Definer(name string, kind schema.GroupVersionKind) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, other := range s.sorted() {
		if other.name != name && slices.Contains(other.definer.kinds, kind) {
			return other.name
		}
	}
	return ""
}

// ApplyPlacement records that the apply of a placement is in progress until end is called.
func (s *Session) ApplyPlacement(name string) (end func()) {
	set := func(applying bool) {
		p := s.lock(name)
		defer s.mu.Unlock()
		p.definer.applying, p.definer.since = applying, time.Now()
	}
	set(true)
	work := s.Work()
	return func() {
		set(false)
		work()
	}
}

// MayArrive returns a function for the apply of the named placement. The function reports whether another placement of the run may still define one of the
// given kinds, or create a Namespace.
func (s *Session) MayArrive(name string) func(kinds []schema.GroupVersionKind) bool {
	var began time.Time // the wait begins with the first call
	return func(kinds []schema.GroupVersionKind) bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		now := time.Now()
		if began.IsZero() {
			began = now
		}
		for other, p := range s.placements {
			isNeeded := func(kind schema.GroupVersionKind) bool { return slices.Contains(kinds, kind) }
			if other != name && slices.ContainsFunc(p.definer.kinds, isNeeded) && (p.definer.applying || now.Sub(p.definer.since) < servingTime) {
				return true
			}
		}
		waited := now.Sub(began)
		return waited < arrivalGrace || s.progress.busy > 1 && waited < arrivalLimit
	}
}

// PlanKinds records the kinds that a planned placement defines, and the Namespaces that it creates. If the placement lacks a kind or a Namespace, PlanKinds
// waits while other placements are planned or read. If another placement defines a lacked kind or creates a lacked Namespace, and world does not contain this
// yet, PlanKinds updates world and returns true. The caller then previews the placement again. If PlanKinds returns false, it has recorded the lacked kinds,
// and has set Supplies and Elsewhere of the preview.
func (s *Session) PlanKinds(ctx context.Context, preview *engine.Preview, world *engine.World) (again bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kinds.Add(preview.Placement, preview.ProvidedKinds())
	s.namespaces.Add(preview.Placement, preview.CreatedNamespaces())
	lacks, lackedNamespaces := preview.Lacks(), preview.LackedNamespaces()
	isDefined := func(l engine.Lack) bool {
		return slices.ContainsFunc(l.Clusters, func(cluster string) bool {
			return s.kinds[cluster][l.Kind] != "" && world.ProviderOfKind(cluster, l.Kind) == ""
		})
	}
	isCreated := func(cluster, namespace string) bool {
		return s.namespaces[cluster][namespace] != "" && world.Namespaces[cluster][namespace] == ""
	}
	s.progress.busy--
	s.progress.notify()
	defer func() { s.progress.busy++ }()
	for len(lacks)+len(lackedNamespaces) > 0 {
		if slices.ContainsFunc(lacks, isDefined) || hasAny(lackedNamespaces, isCreated) {
			world.Kinds, world.Namespaces = s.kinds.Clone(), s.namespaces.Clone()
			return true
		}
		if !s.await(ctx, planningGrace) {
			break
		}
	}
	s.placement(preview.Placement).lacks = lacks
	preview.Supplies, preview.Elsewhere = s.listSupplied(preview), s.listDefinedElsewhere(lacks)
	return false
}

// listDefinedElsewhere returns the lacked kinds that a planned placement defines, but only on other clusters.
func (s *Session) listDefinedElsewhere(lacks []engine.Lack) []engine.Lack {
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

func (s *Session) listSupplied(preview *engine.Preview) []engine.Lack {
	brings := preview.ProvidedKinds()
	var out []engine.Lack
	for _, other := range s.sorted() {
		for _, lack := range other.lacks {
			lack.Clusters = slices.DeleteFunc(slices.Clone(lack.Clusters), func(cluster string) bool { return !slices.Contains(brings[cluster], lack.Kind) })
			if other.name != preview.Placement && len(lack.Clusters) > 0 {
				out = append(out, lack)
			}
		}
	}
	return out
}

func hasAny(names map[string][]string, is func(cluster, name string) bool) bool {
	for cluster, ofCluster := range names {
		if slices.ContainsFunc(ofCluster, func(name string) bool { return is(cluster, name) }) {
			return true
		}
	}
	return false
}
