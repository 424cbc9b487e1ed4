package convert

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Fidelity is how well a host can express an argument.
type Fidelity string

// The fidelities.
const (
	// Exact means that the argument has the same effect on the host.
	Exact Fidelity = "exact"
	// Lossy means that the argument has nearly the same effect. A plan warns if the difference matters.
	Lossy Fidelity = "lossy"
	// Ignored means that the argument is accepted, but has no effect. A plan warns about it.
	Ignored Fidelity = "ignored"
	// Impossible means that the plan rejects the argument with an error.
	Impossible Fidelity = "impossible"
)

// Values lists the fidelities in the order in which they are documented.
func (Fidelity) Values() []string {
	return []string{string(Exact), string(Lossy), string(Ignored), string(Impossible)}
}

// Mapping describes how a host represents one argument.
type Mapping struct {
	// Resource and Argument name the argument. Value is the value to which the mapping applies, or empty for any value.
	Resource, Argument, Value string
	// Becomes is the equivalent on the host. It is empty if there is none.
	Becomes  string
	Fidelity Fidelity
	// Title summarizes the effect of a lossy mapping that the plan warns about. Note explains the difference, or why there is no equivalent, and what to do.
	Title, Note string
	// placed and registered return the paths at which a placement or a registration sets the argument. They are nil if the use of the argument is not reported.
	placed     func(Placed) []placement.Path
	registered func(member.Spec) []placement.Path
}

// Placed is the part of a placement that mappings read.
type Placed struct {
	Namespace, Name string
	// Spec is the spec as configured, without defaults.
	Spec placement.Spec
}

// Found is a mapping and the path at which the configuration uses it.
type Found struct {
	Mapping
	Path placement.Path
}

// OfPlacement returns the mappings that a placement uses and that plans report, with the paths of the arguments.
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

// OfMember returns the mappings that a registration uses and that plans report, with the paths of the arguments.
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

// Mappings returns all mappings, in the order in which they are documented.
func Mappings() []Mapping {
	var out []Mapping
	for _, part := range [][]Mapping{memberMappings, policyMappings, strategyMappings, otherMappings} {
		out = append(out, part...)
	}
	return out
}

func pathIf(is bool, at placement.Path) []placement.Path {
	if !is {
		return nil
	}
	return []placement.Path{at}
}
