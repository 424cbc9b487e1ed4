package convert

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Fidelity is how well a host can express something.
type Fidelity string

// The fidelities.
const (
	// Exact means the same on the host.
	Exact Fidelity = "exact"
	// Lossy means nearly the same: a plan warns of it where it matters.
	Lossy Fidelity = "lossy"
	// Ignored is kept, and has no effect: a plan warns of it.
	Ignored Fidelity = "ignored"
	// Impossible is refused in the plan.
	Impossible Fidelity = "impossible"
)

// Values lists the fidelities in the order in which they are documented.
func (Fidelity) Values() []string {
	return []string{string(Exact), string(Lossy), string(Ignored), string(Impossible)}
}

// Mapping is what becomes of one argument on a host.
type Mapping struct {
	// Resource and Argument name it, Value the value that it is about; empty for any.
	Resource, Argument, Value string
	// Becomes is what stands for it on the host; empty for nothing.
	Becomes  string
	Fidelity Fidelity
	// Title is what happens in a few words, of a lossy one that is warned of. Note says what is different, or why there is none, and what to do.
	Title, Note string
	// placed and registered return where it is asked for; nil for what nobody is told of. A wide one is about every value.
	placed     func(Placed) []placement.Path
	registered func(member.Spec) []placement.Path
}

// Placed is a placement as the table looks at it.
type Placed struct {
	Namespace, Name string
	// Spec is as it was written.
	Spec placement.Spec
}

// Found is a mapping at one of the places where it is asked for.
type Found struct {
	Mapping
	Path placement.Path
}

// OfPlacement lists what of a placement is not the same on a host.
func OfPlacement(p Placed) []Found {
	var out []Found
	for _, m := range Mappings() {
		if m.placed == nil {
			continue
		}
		for _, at := range m.placed(p) {
			out = append(out, Found{Mapping: m, Path: at})
		}
	}
	return out
}

// OfMember lists what of a registration is not the same on a host.
func OfMember(spec member.Spec) []Found {
	var out []Found
	for _, m := range Mappings() {
		if m.registered == nil {
			continue
		}
		for _, at := range m.registered(spec) {
			out = append(out, Found{Mapping: m, Path: at})
		}
	}
	return out
}

// Mappings is the whole table, in the order in which it is documented.
func Mappings() []Mapping {
	var out []Mapping
	for _, part := range [][]Mapping{memberMappings, policyMappings, strategyMappings, otherMappings} {
		out = append(out, part...)
	}
	return out
}

// one is the path if something is so.
func one(is bool, at placement.Path) []placement.Path {
	if !is {
		return nil
	}
	return []placement.Path{at}
}
