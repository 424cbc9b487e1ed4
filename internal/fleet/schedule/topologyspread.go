package schedule

import (
	"fmt"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// violationPenalty is what a cluster loses that violates a ScheduleAnyway constraint.
const violationPenalty = 1000

// spread weighs what one more placement on a cluster does to the topology spread (KubeFleet, TopologySpreadConstraints plugin). It counts
// per domain, so that a pick costs as much as there are domains, however many clusters they have.
type spread struct {
	hard, soft []*constraint // in the policy's order; hard ones are those with DoNotSchedule
}

// constraint counts the placements over the values of a label. The values are numbered.
type constraint struct {
	maxSkew int
	reason  string
	domains []int32 // the value on each cluster, -1 where the label is missing
	counts  []int32 // how many clusters of each value hold the placement
	// smallest and largest are the bounds of counts, and emptiest is how many values have the smallest one.
	smallest, largest int32
	emptiest          int
	// groups is the value of each group of a contest, -1 where the label is missing.
	groups []int32
	// changes and violations say what one more placement at a value does.
	changes    []int32
	violations []bool
}

// newSpread counts on all clusters that there are, also on those that cannot be picked.
func newSpread(constraints []placement.TopologySpreadConstraint, clusters []*Cluster, held []bool) *spread {
	out := &spread{}
	for _, c := range constraints {
		maxSkew := 1
		if c.MaxSkew != nil {
			maxSkew = int(*c.MaxSkew)
		}
		counted := newConstraint(c.TopologyKey, maxSkew, clusters, held)
		if c.WhenUnsatisfiable == placement.ScheduleAnyway {
			out.soft = append(out.soft, counted)
		} else {
			out.hard = append(out.hard, counted)
		}
	}
	return out
}

func newConstraint(key string, maxSkew int, clusters []*Cluster, held []bool) *constraint {
	out := &constraint{
		maxSkew: maxSkew,
		reason:  fmt.Sprintf("%sviolated doNotSchedule topology spread constraint %q (max skew %d)", unschedulable, key, maxSkew),
		domains: make([]int32, len(clusters)),
	}
	numbers := map[string]int32{}
	for i, c := range clusters {
		value, found := c.Labels[key]
		if !found {
			out.domains[i] = -1
			continue
		}
		number, known := numbers[value]
		if !known {
			number = int32(len(out.counts))
			numbers[value] = number
			out.counts = append(out.counts, 0)
		}
		out.domains[i] = number
		if held[i] {
			out.counts[number]++
		}
	}
	out.changes, out.violations = make([]int32, len(out.counts)), make([]bool, len(out.counts))
	out.weigh()
	return out
}

// weigh measures the counts, and weighs all domains.
func (c *constraint) weigh() {
	if len(c.counts) == 0 {
		return
	}
	c.smallest, c.largest = slices.Min(c.counts), slices.Max(c.counts)
	c.emptiest = 0
	for _, count := range c.counts {
		if count == c.smallest {
			c.emptiest++
		}
	}
	for d := range c.counts {
		c.weighDomain(d)
	}
}

// weighDomain computes how one more placement in a domain changes the skew, which is the difference between the fullest and the emptiest
// domain, and whether that is too much. The skew is a global one: a domain that would make it smaller, but not small enough, is refused.
func (c *constraint) weighDomain(d int) {
	change := int32(0)
	switch count := c.counts[d]; {
	case c.largest == c.smallest:
		change = 1
	case count == c.smallest && c.emptiest == 1:
		change = -1
	case count == c.largest:
		change = 1
	}
	c.changes[d] = change
	c.violations[d] = int(c.largest-c.smallest+change) > c.maxSkew
}

// add counts one more placement in a domain, and reports whether it can have changed the weight of other domains. Between two changes of the
// bounds it has not, which is what makes a pick among thousands of domains cheap.
func (c *constraint) add(d int32) (others bool) {
	count := c.counts[d]
	c.counts[d]++
	if count == c.smallest {
		c.emptiest--
	}
	if count == c.largest || count == c.smallest && c.emptiest <= 1 {
		c.weigh()
		return true
	}
	c.weighDomain(int(d))
	return false
}

// judge scores a cluster, or returns the first DoNotSchedule constraint that it violates. A missing label is neutral.
func (s *spread) judge(cluster int) (score int32, violated *constraint) {
	for _, c := range s.hard {
		d := c.domains[cluster]
		if d < 0 {
			continue
		}
		if c.violations[d] {
			return 0, c
		}
		score -= c.changes[d]
	}
	for _, c := range s.soft {
		d := c.domains[cluster]
		switch {
		case d < 0:
		case c.violations[d]:
			score -= violationPenalty
		default:
			score -= c.changes[d]
		}
	}
	return score, nil
}
