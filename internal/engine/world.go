package engine

import (
	"maps"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
)

// World has the changes that the current run makes before it applies the placement: the members, overrides and envelopes that are planned and not applied yet,
// and the kinds and Namespaces of other placements. The zero value has no changes.
type World struct {
	// Members are by name.
	Members   map[string]Planned[member.Spec]
	Overrides map[override.Reference]Planned[Override]
	Envelopes map[Reference]Planned[envelope.Spec]
	// Kinds are the kinds that other placements define. Namespaces are the Namespaces that they create.
	Kinds      Kinds
	Namespaces Namespaces
	// Unnamed are the kinds of planned things whose names are not known yet.
	Unnamed []string
	// Applied means that the run has already applied some of the changes.
	Applied bool
	// Assumed are the members whose state a preview assumes, by name. Members also has the assumed change of each of them, except those that are assumed to
	// be unreachable. Only a preview that no apply follows has assumptions.
	Assumed map[string]Assumption
}

// Planned is the change of one thing.
type Planned[T any] struct {
	// Want is the planned state as far as known; nil if the thing is removed.
	Want *T
	// Was is the state before, in the state file of the run; nil if there is none.
	Was *T
	// Partial means that placements depend on a part of Want that is known only after apply.
	Partial bool
}

// Kinds of changed things as text. Unknown uses no kind for an override, because [override.Reference.String] returns the kind with the name.
const (
	KindMember   = "MemberCluster"
	KindOverride = "override"
	KindEnvelope = "envelope"
)

// Changes reports whether the run changes the fleet, or is assumed to.
func (w World) Changes() bool { return w.Applied || w.Size()+len(w.Assumed) > 0 }

// Assumptions returns only the members whose state a preview assumes. The removal of a replaced placement depends on nothing else.
func (w World) Assumptions() World {
	out := World{Members: map[string]Planned[member.Spec]{}, Assumed: w.Assumed}
	for name, planned := range w.Members {
		if _, assumed := w.Assumed[name]; assumed {
			out.Members[name] = planned
		}
	}
	return out
}

// Size returns the number of changes that are planned and not applied.
func (w World) Size() int {
	return len(w.Members) + len(w.Overrides) + len(w.Envelopes) + len(w.Unnamed)
}

// With returns the world with the changes of other added. For the same thing, other takes precedence.
func (w World) With(other World) World {
	return World{
		Members: mergeMaps(w.Members, other.Members), Overrides: mergeMaps(w.Overrides, other.Overrides), Envelopes: mergeMaps(w.Envelopes, other.Envelopes),
		Kinds: w.Kinds.With(other.Kinds), Namespaces: w.Namespaces.With(other.Namespaces),
		Unnamed: slices.Concat(w.Unnamed, other.Unnamed), Applied: w.Applied || other.Applied, Assumed: mergeMaps(w.Assumed, other.Assumed),
	}
}

// Without returns the world without the members, overrides and envelopes that are also in other.
func (w World) Without(other World) World {
	return World{
		Members: withoutKeys(w.Members, other.Members), Overrides: withoutKeys(w.Overrides, other.Overrides), Envelopes: withoutKeys(w.Envelopes, other.Envelopes),
		Kinds: w.Kinds, Namespaces: w.Namespaces, Unnamed: w.Unnamed, Applied: w.Applied, Assumed: w.Assumed,
	}
}

func mergeMaps[K comparable, V any](a, b map[K]V) map[K]V {
	out := make(map[K]V, len(a)+len(b))
	maps.Copy(out, a)
	maps.Copy(out, b)
	return out
}

func withoutKeys[K comparable, V any](from, drop map[K]V) map[K]V {
	out := maps.Clone(from)
	maps.DeleteFunc(out, func(key K, _ V) bool {
		_, found := drop[key]
		return found
	})
	return out
}

// Unknown returns the changes that a preview cannot take into account, because they are known only after apply, sorted.
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
		out = append(out, kind+" with an unknown name")
	}
	slices.Sort(out)
	return out
}

// Overridden returns the overrides in all with the changes of the run. It ignores a change if a part of it is unknown.
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
