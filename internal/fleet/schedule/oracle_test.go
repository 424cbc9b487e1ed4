package schedule

import (
	"cmp"
	"errors"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// oracle is a second implementation of the scheduler, step by step and without regard to cost: each cycle processes each cluster again. The
// scheduler must return the same results.
type oracle struct {
	policy   placement.Policy
	clusters []Cluster
	bindings []*naiveBinding
	filtered map[string]string
	out      Outcome
}

type naiveBinding struct {
	Binding
	action Action
	began  State
	class  string
}

var errOracle = errors.New("unexpected behavior")

func consultOracle(in Input) (Outcome, error) {
	o := &oracle{clusters: slices.Clone(in.Clusters)}
	if in.Policy != nil {
		o.policy = *in.Policy
	}
	sort.Slice(o.clusters, func(i, j int) bool { return o.clusters[i].Name < o.clusters[j].Name })
	for _, b := range in.Bindings {
		o.bindings = append(o.bindings, &naiveBinding{Binding: b, action: Keep, began: b.State})
	}
	var err error
	for again := true; again && err == nil; {
		again, err = o.cycle(in.Now)
	}
	for _, b := range o.bindings {
		o.out.Bindings = append(o.out.Bindings, BindingOutcome{Binding: b.Binding, Action: b.action})
	}
	return o.out, err
}

func (o *oracle) cluster(name string) *Cluster {
	for i := range o.clusters {
		if o.clusters[i].Name == name {
			return &o.clusters[i]
		}
	}
	return nil
}

func (o *oracle) class(name string) []*naiveBinding {
	var out []*naiveBinding
	for _, b := range o.bindings {
		if b.class == name {
			out = append(out, b)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return cmp.Or(out[i].Name, out[i].Cluster) < cmp.Or(out[j].Name, out[j].Cluster) })
	return out
}

func (b *naiveBinding) remove() {
	b.PreviousState, b.State, b.action = b.State, Unscheduled, Unschedule
}

func (o *oracle) cycle(at time.Time) (again bool, err error) {
	for _, b := range o.bindings {
		cluster := o.cluster(b.Cluster)
		switch {
		case b.Deleting:
			b.class, b.action = "deleting", Release
		case b.State == Unscheduled:
			b.class = "unscheduled"
		case cluster == nil || cluster.Leaving:
			b.class = "dangling"
			b.remove()
		case b.Obsolete:
			b.class = "obsolete"
		default:
			b.class = string(b.State)
		}
	}
	switch o.policy.PlacementType {
	case placement.PickFixed:
		return false, o.pickFixed(at)
	case placement.PickN:
		return o.pickN(at)
	case placement.PickAll:
	}
	o.filtered = map[string]string{}
	passed, err := o.filter(at)
	if err != nil {
		return false, err
	}
	var picks []naiveCandidate
	for _, c := range passed {
		picks = append(picks, naiveCandidate{cluster: c})
	}
	created, patched, err := o.bind(picks)
	lists := [][]*naiveBinding{created, patched, o.class("Scheduled"), o.class("Bound")}
	if err == nil {
		o.report(len(slices.Concat(lists...)), nil, lists)
	}
	return false, err
}

type naiveCandidate struct {
	cluster  *Cluster
	spread   int32
	affinity int32
	obsolete bool
}

func (o *oracle) pickN(at time.Time) (again bool, err error) {
	want := int(*o.policy.NumberOfClusters)
	scheduled, bound, obsolete := o.class("Scheduled"), o.class("Bound"), o.class("obsolete")
	present := len(scheduled) + len(bound)
	if want <= present {
		if present-want+len(obsolete) == 0 {
			o.report(want, nil, [][]*naiveBinding{bound, scheduled})
			return false, nil
		}
		for _, b := range obsolete {
			b.remove()
		}
		o.report(want, nil, o.downscale(scheduled, bound, present-want))
		return false, nil
	}
	o.filtered = map[string]string{}
	passed, err := o.filter(at)
	if err != nil {
		return false, err
	}
	candidates, err := o.score(passed)
	if err != nil {
		return false, err
	}
	limit := want - present
	if len(o.policy.TopologySpreadConstraints) > 0 {
		limit = 1
	}
	count := min(limit, len(candidates))
	created, patched, err := o.bind(candidates[:count])
	if err != nil {
		return false, err
	}
	if want-present > limit && len(created)+len(patched) == limit {
		return true, nil
	}
	o.report(want, candidates[count:], [][]*naiveBinding{created, patched, scheduled, bound})
	return false, nil
}

func (o *oracle) downscale(scheduled, bound []*naiveBinding, count int) [][]*naiveBinding {
	order := func(list []*naiveBinding) {
		sort.SliceStable(list, func(i, j int) bool {
			a, b := list[i], list[j]
			switch {
			case a.Score == nil || b.Score == nil:
				if (a.Score == nil) != (b.Score == nil) {
					return a.Score == nil
				}
			case a.Score.TopologySpread != b.Score.TopologySpread:
				return a.Score.TopologySpread < b.Score.TopologySpread
			case a.Score.Affinity != b.Score.Affinity:
				return a.Score.Affinity < b.Score.Affinity
			}
			return a.Cluster < b.Cluster
		})
	}
	if count > 0 && count < len(scheduled) {
		order(scheduled)
	} else if count > len(scheduled) {
		order(bound)
	}
	for ; count > 0; count-- {
		if len(scheduled) > 0 {
			scheduled[0].remove()
			scheduled = scheduled[1:]
		} else {
			bound[0].remove()
			bound = bound[1:]
		}
	}
	return [][]*naiveBinding{scheduled, bound}
}

func (o *oracle) hasBinding(name, class string) bool {
	return slices.ContainsFunc(o.bindings, func(b *naiveBinding) bool { return b.class == class && b.Cluster == name })
}

func (o *oracle) hasCurrentBinding(name string) bool {
	return o.hasBinding(name, "Scheduled") || o.hasBinding(name, "Bound")
}

// property returns nil for a missing property.
func (o *oracle) property(c *Cluster, name string) (*resource.Quantity, error) {
	text, found := c.Properties[name]
	if rest, is := strings.CutPrefix(name, "resources.kubernetes-fleet.io/"); is {
		capacity, key, _ := strings.Cut(rest, "-")
		usage, known := map[string]map[string]string{
			"total": c.Usage.Capacity, "allocatable": c.Usage.Allocatable, "available": c.Usage.Available,
		}[capacity]
		if !known || key == "" || strings.Contains(key, "-") {
			return nil, errOracle
		}
		text, found = usage[key]
	}
	if !found {
		return nil, nil
	}
	q, err := resource.ParseQuantity(text)
	return &q, err
}

func naiveLabels(c *Cluster, selector *metav1.LabelSelector) (bool, error) {
	if selector == nil {
		return true, nil
	}
	s, err := metav1.LabelSelectorAsSelector(selector)
	if err != nil {
		return false, err
	}
	return s.Matches(labels.Set(c.Labels)), nil
}

func (o *oracle) term(c *Cluster, term placement.ClusterSelectorTerm) (bool, error) {
	if ok, err := naiveLabels(c, term.LabelSelector); !ok || err != nil {
		return false, err
	}
	if term.PropertySelector == nil {
		return true, nil
	}
	for _, e := range term.PropertySelector.MatchExpressions {
		q, err := o.property(c, e.Name)
		if q == nil || err != nil {
			return false, err
		}
		want, err := resource.ParseQuantity(e.Values[0])
		if err != nil {
			return false, err
		}
		order := q.Cmp(want)
		holds, known := map[placement.PropertyOperator]bool{"Gt": order > 0, "Ge": order >= 0, "Eq": order == 0, "Ne": order != 0, "Lt": order < 0, "Le": order <= 0}[e.Operator]
		if !known {
			return false, errOracle
		}
		if !holds {
			return false, nil
		}
	}
	return true, nil
}

func (o *oracle) filter(at time.Time) (passed []*Cluster, err error) {
	for i := range o.clusters {
		c := &o.clusters[i]
		matches := true
		if a := o.policy.Affinity; a != nil && a.ClusterAffinity.Required != nil && len(a.ClusterAffinity.Required.ClusterSelectorTerms) > 0 {
			matches = false
			for _, term := range a.ClusterAffinity.Required.ClusterSelectorTerms {
				if matches, err = o.term(c, term); matches || err != nil {
					break
				}
			}
			if err != nil {
				return nil, err
			}
		}
		reason := ""
		if !matches {
			reason = "cluster does not match with any of the required cluster affinity terms"
		}
		reason = cmp.Or(reason, ineligibleReason(c, at), taintReason(c.Taints, o.policy.Tolerations))
		if reason == "" && o.hasCurrentBinding(c.Name) {
			continue
		}
		if reason == "" {
			_, reason = o.spread(c)
		}
		if reason != "" {
			o.filtered[c.Name] = "ClusterUnschedulable, " + reason
			continue
		}
		passed = append(passed, c)
	}
	return passed, nil
}

func (o *oracle) change(c *Cluster, constraint placement.TopologySpreadConstraint) (change int, violates, labelled bool) {
	counts := map[string]int{}
	for _, other := range o.clusters {
		if domain, found := other.Labels[constraint.TopologyKey]; found {
			if counts[domain] += 0; o.hasCurrentBinding(other.Name) {
				counts[domain]++
			}
		}
	}
	domain, labelled := c.Labels[constraint.TopologyKey]
	if !labelled {
		return 0, false, false
	}
	var order []int
	for _, count := range counts {
		order = append(order, count)
	}
	sort.Ints(order)
	smallest, second, largest := order[0], order[min(1, len(order)-1)], order[len(order)-1]
	switch {
	case largest == smallest:
		change = 1
	case counts[domain] == smallest && smallest != second:
		change = -1
	case counts[domain] == largest:
		change = 1
	}
	return change, largest-smallest+change > int(*constraint.MaxSkew), true
}

func (o *oracle) spread(c *Cluster) (score int32, reason string) {
	for _, hard := range []bool{true, false} {
		for _, constraint := range o.policy.TopologySpreadConstraints {
			if (constraint.WhenUnsatisfiable == "DoNotSchedule") != hard {
				continue
			}
			change, violates, labelled := o.change(c, constraint)
			switch {
			case !labelled:
			case violates && hard:
				return 0, `violated doNotSchedule topology spread constraint "` + constraint.TopologyKey + `" (max skew ` +
					strconv.Itoa(int(*constraint.MaxSkew)) + ")"
			case violates:
				score -= 1000
			default:
				score -= int32(change)
			}
		}
	}
	return score, ""
}
