package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
)

// Assumption is the state that a preview assumes for a member.
type Assumption struct {
	Member string
	// State is "" for a registered member with other labels or taints.
	State engine.Assumption
	// Labels and Taints replace those of the member. If one is nil, the member keeps its own.
	Labels map[string]string
	Taints []member.Taint
}

// Spec returns the assumed registration. It is complete only for a new member.
func (a Assumption) Spec() member.Spec {
	return member.Spec{Name: a.Member, Labels: a.Labels, Taints: a.Taints}
}

// String returns the assumption as a clause without a full stop.
func (a Assumption) String() string {
	name := model.Name(a.Member)
	switch a.State {
	case engine.AssumeUnreachable:
		return name + " is unreachable"
	case engine.AssumeGone:
		return name + " is gone from the fleet"
	case engine.AssumeNew:
	}
	var details []string
	if a.Labels != nil {
		pairs := make([]string, 0, len(a.Labels))
		for _, key := range slices.Sorted(maps.Keys(a.Labels)) {
			pairs = append(pairs, key+"="+a.Labels[key])
		}
		details = append(details, describeList("label", pairs))
	}
	if a.Taints != nil {
		taints := make([]string, len(a.Taints))
		for i, t := range a.Taints {
			taints[i] = t.Key + ":" + string(t.Effect)
			if t.Value != "" {
				taints[i] = fmt.Sprintf("%s=%s:%s", t.Key, t.Value, t.Effect)
			}
		}
		slices.Sort(taints)
		details = append(details, describeList("taint", taints))
	}
	text := strings.Join(details, " and ")
	switch {
	case a.State != engine.AssumeNew:
		return name + " has " + text
	case text == "":
		return name + " is new"
	default:
		return name + " is new and has " + text
	}
}

func describeList(what string, values []string) string {
	if len(values) == 0 {
		return "no " + what + "s"
	}
	return "the " + what + "s " + model.Name(strings.Join(values, ", "))
}

// Moves are the clusters that only one of two previews picks: Added only under the assumptions, Dropped only without them.
type Moves struct{ Added, Dropped []string }

// NewMoves compares the previews with and without the assumptions.
func NewMoves(assumed, actual *engine.Preview) Moves {
	is, was := pickedBy(assumed), pickedBy(actual)
	without := func(names, others []string) []string {
		return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(others, name) })
	}
	return Moves{Added: without(is, was), Dropped: without(was, is)}
}

func pickedBy(preview *engine.Preview) []string {
	var out []string
	for _, c := range preview.Clusters {
		if c.Picked {
			out = append(out, model.Name(c.Name))
		}
	}
	return out
}

func (o Additions) assumptions() *model.Assumptions {
	if len(o.Assumed) == 0 {
		return nil
	}
	out := &model.Assumptions{Added: o.Moves.Added, Dropped: o.Moves.Dropped}
	for _, a := range o.Assumed {
		out.Assumed = append(out.Assumed, a.String())
	}
	return out
}
