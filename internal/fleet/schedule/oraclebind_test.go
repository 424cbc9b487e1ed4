package schedule

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// bind creates and updates bindings for picks, step by step.
func (o *oracle) bind(picks []naiveCandidate) (created, patched []*naiveBinding, err error) {
	find := func(cluster string) *naiveCandidate {
		for i := range picks {
			if picks[i].cluster.Name == cluster {
				return &picks[i]
			}
		}
		return nil
	}
	for _, b := range o.class("unscheduled") {
		if find(b.Cluster) != nil && b.PreviousState == "" {
			return nil, nil, errOracle
		}
	}
	known := map[string]bool{}
	for _, b := range slices.Concat(o.class("obsolete"), o.class("unscheduled")) {
		known[b.Cluster] = true
		switch c := find(b.Cluster); {
		case c != nil:
			b.restamp(new(Score{Affinity: c.affinity, TopologySpread: c.spread}))
			patched = append(patched, b)
		case b.class == "obsolete":
			b.remove()
		}
	}
	for _, c := range picks {
		if !known[c.cluster.Name] {
			created = append(created, o.add(c.cluster.Name, new(Score{Affinity: c.affinity, TopologySpread: c.spread})))
		}
	}
	return created, patched, nil
}

func (b *naiveBinding) restamp(score *Score) {
	b.action = Restamp
	if b.State == Unscheduled {
		b.State, b.PreviousState = b.PreviousState, ""
		if b.began == Unscheduled {
			b.action = Restore
		}
	}
	b.Obsolete, b.Score, b.Reason = false, score, success(b.Cluster, score)
}

func (o *oracle) add(cluster string, score *Score) *naiveBinding {
	b := &naiveBinding{Binding: Binding{Cluster: cluster, State: Scheduled, Score: score, Reason: success(cluster, score)}, action: Create, began: Scheduled}
	o.bindings = append(o.bindings, b)
	return b
}

func success(cluster string, score *Score) string {
	if score == nil {
		return fmt.Sprintf("Successfully scheduled resources for placement in %q: picked by scheduling policy", cluster)
	}
	return fmt.Sprintf("Successfully scheduled resources for placement in %q (affinity score: %d, topology spread score: %d): picked by scheduling policy",
		cluster, score.Affinity, score.TopologySpread)
}

func (o *oracle) report(want int, losers []naiveCandidate, lists [][]*naiveBinding) {
	o.out.Reported, o.out.Wanted = true, want
	seen := map[string]bool{}
	for _, list := range lists {
		for _, b := range list {
			o.out.Found++
			seen[b.Cluster] = true
			o.out.Decisions = append(o.out.Decisions, Decision{Cluster: b.Cluster, Selected: true, Score: b.Score, Reason: b.Reason})
		}
	}
	for _, c := range losers {
		o.out.Decisions = append(o.out.Decisions, Decision{
			Cluster: c.cluster.Name, Score: &Score{Affinity: c.affinity, TopologySpread: c.spread},
			Reason: fmt.Sprintf("Cluster %q does not score high enough (affinity score: %d, topology spread score: %d)", c.cluster.Name, c.affinity, c.spread),
		})
	}
	for _, name := range slices.Sorted(maps.Keys(o.filtered)) {
		if !seen[name] {
			o.out.Decisions = append(o.out.Decisions, Decision{Cluster: name, Reason: o.filtered[name]})
		}
	}
	o.condition()
}

func (o *oracle) condition() {
	o.out.Reason = "SchedulingPolicyUnfulfilled"
	o.out.Message = fmt.Sprintf("could not find all clusters needed as specified by the scheduling policy, found %d cluster(s) instead", o.out.Found)
	if o.out.Fulfilled = o.out.Found >= o.out.Wanted; o.out.Fulfilled {
		o.out.Reason = "SchedulingPolicyFulfilled"
		o.out.Message = fmt.Sprintf("found all cluster needed as specified by the scheduling policy, found %d cluster(s)", o.out.Found)
	}
}

// pickFixed implements the policy PickFixed, step by step.
func (o *oracle) pickFixed(at time.Time) error {
	if len(o.policy.ClusterNames) == 0 {
		o.out.Fulfilled = true
		return nil
	}
	var valid, invalid, missing []Decision
	for _, name := range o.policy.ClusterNames {
		c := o.cluster(name)
		switch {
		case c == nil:
			missing = append(missing, Decision{Cluster: name, Reason: fmt.Sprintf("Specified cluster %q is not found", name)})
		case ineligibleReason(c, at) != "":
			invalid = append(invalid, Decision{Cluster: name, Reason: fmt.Sprintf("Cluster %q is not eligible for resource placement yet: %s", name, ineligibleReason(c, at))})
		default:
			valid = append(valid, Decision{Cluster: name, Selected: true, Reason: success(name, nil)})
		}
	}
	last := func(class, cluster string) (out *naiveBinding) {
		for _, b := range o.class(class) {
			if b.Cluster == cluster {
				out = b
			}
		}
		return out
	}
	for _, d := range valid {
		obsolete, unscheduled := last("obsolete", d.Cluster), last("unscheduled", d.Cluster)
		switch {
		case o.hasCurrentBinding(d.Cluster):
		case obsolete != nil:
			obsolete.restamp(nil)
		case unscheduled != nil:
			if unscheduled.PreviousState == "" {
				return errOracle
			}
			unscheduled.restamp(nil)
		default:
			o.add(d.Cluster, nil)
		}
	}
	for _, b := range o.class("obsolete") {
		if !slices.ContainsFunc(valid, func(d Decision) bool { return d.Cluster == b.Cluster }) {
			b.remove()
		}
	}
	o.out.Decisions = slices.Concat(valid, invalid, missing)
	o.out.Reported, o.out.Wanted, o.out.Found = true, len(o.policy.ClusterNames), len(valid)
	o.condition()
	return nil
}
