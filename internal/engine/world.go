package engine

import (
	"maps"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
)

// World is what the run that a preview is part of makes of the fleet before the placement is applied: the members, overrides and envelopes
// that are planned and not applied yet. In its zero value everything stays as it is.
type World struct {
	// Members are by name.
	Members   map[string]Planned[member.Spec]
	Overrides map[override.Reference]Planned[Override]
	Envelopes map[Reference]Planned[envelope.Spec]
	// Kinds are those that other placements bring.
	Kinds Kinds
	// Namespaces are those that other placements create.
	Namespaces Namespaces
	// Unnamed are the kinds of the things that are planned and whose very names are not known yet.
	Unnamed []string
	// Applied says that the run has applied some of it already.
	Applied bool
}

// Planned is what becomes of one thing.
type Planned[T any] struct {
	// Want is what it is to be, as far as that is known; nil if it is to be removed.
	Want *T
	// Was is what it was by the state of the run; nil if that has none.
	Was *T
	// Partial says that a part of Want on which placements depend is not known yet.
	Partial bool
}

// Kinds of what a world consists of, for people. An override says by itself which kind it is of.
const (
	KindMember   = "MemberCluster"
	KindOverride = "override"
	KindEnvelope = "envelope"
)

// Changes tells whether the run makes another fleet of it.
func (w World) Changes() bool { return w.Applied || w.Size() > 0 }

// Size is the number of changes that are planned and not applied.
func (w World) Size() int {
	return len(w.Members) + len(w.Overrides) + len(w.Envelopes) + len(w.Unnamed)
}

// With returns the world with the changes of another one added. Those of the other one come later.
func (w World) With(other World) World {
	return World{
		Members: merged(w.Members, other.Members), Overrides: merged(w.Overrides, other.Overrides), Envelopes: merged(w.Envelopes, other.Envelopes),
		Kinds: merged(w.Kinds, other.Kinds), Namespaces: merged(w.Namespaces, other.Namespaces),
		Unnamed: slices.Concat(w.Unnamed, other.Unnamed), Applied: w.Applied || other.Applied,
	}
}

// Without returns the world without what another one changes.
func (w World) Without(other World) World {
	return World{
		Members: without(w.Members, other.Members), Overrides: without(w.Overrides, other.Overrides), Envelopes: without(w.Envelopes, other.Envelopes),
		Kinds: w.Kinds, Namespaces: w.Namespaces, Unnamed: w.Unnamed, Applied: w.Applied,
	}
}

func merged[K comparable, V any](a, b map[K]V) map[K]V {
	out := make(map[K]V, len(a)+len(b))
	maps.Copy(out, a)
	maps.Copy(out, b)
	return out
}

func without[K comparable, V any](from, what map[K]V) map[K]V {
	out := maps.Clone(from)
	maps.DeleteFunc(out, func(key K, _ V) bool {
		_, found := what[key]
		return found
	})
	return out
}

// Unknown names what a preview cannot take into account, because it is known only when it is applied, in order.
func (w World) Unknown() []string {
	var out []string
	for name, planned := range w.Members {
		if planned.Partial {
			out = append(out, KindMember+" "+name)
		}
	}
	for reference, planned := range w.Overrides {
		if planned.Partial {
			out = append(out, reference.String())
		}
	}
	for reference, planned := range w.Envelopes {
		if planned.Partial {
			out = append(out, KindEnvelope+" "+reference.String())
		}
	}
	for _, kind := range w.Unnamed {
		out = append(out, kind+" whose name is not known")
	}
	slices.Sort(out)
	return out
}

// Overridden are overrides as the run makes them. One of which not everything is known yet stays as it is.
func (w World) Overridden(all override.Overrides) override.Overrides {
	planned := func(reference override.Reference) bool {
		o, found := w.Overrides[reference]
		return found && !o.Partial
	}
	out := override.Overrides{
		Cluster: slices.DeleteFunc(slices.Clone(all.Cluster), func(o override.ClusterResourceOverride) bool {
			return planned(override.Reference{Name: o.Name})
		}),
		Namespaced: slices.DeleteFunc(slices.Clone(all.Namespaced), func(o override.ResourceOverride) bool {
			return planned(override.Reference{Namespace: o.Namespace, Name: o.Name})
		}),
	}
	for reference, o := range w.Overrides {
		switch {
		case o.Partial, o.Want == nil:
		case o.Want.Cluster != nil:
			out.Cluster = append(out.Cluster, override.ClusterResourceOverride{Name: reference.Name, Spec: *o.Want.Cluster})
		case o.Want.Namespaced != nil:
			out.Namespaced = append(out.Namespaced, override.ResourceOverride{
				Namespace: reference.Namespace, Name: reference.Name, Spec: *o.Want.Namespaced,
			})
		}
	}
	return out
}
