package schedule

import (
	"fmt"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// violationPenalty is subtracted from a cluster's score for a violated ScheduleAnyway constraint.
const violationPenalty = 1000

// spread computes how one more placement on a cluster affects the topology spread (KubeFleet, TopologySpreadConstraints plugin). It counts per
// domain, so the cost of a pick depends on the number of domains, not of clusters.
type spread struct {
	hard, soft []*constraint // in the policy's order; DoNotSchedule constraints are hard
}

// constraint counts the placements for each value of a label. Each value is a domain. The domains are numbered.
type constraint struct {
	maxSkew int
	reason  string
	domains []int32 // the value on each cluster, or -1 if the label is missing
	counts  []int32 // the number of clusters with the placement for each value
	// smallest and largest are the bounds of counts; smallestValues is the number of values with the smallest count.
	smallest, largest int32
	smallestValues    int
	// the value of each group of a ranking, or -1 if the label is missing
	groups []int32
	// the effects of one more placement for each value
	changes    []int32
	violations []bool
}

// newSpread counts the placements on all clusters, including those that cannot be picked.
func newSpread(constraints []placement.TopologySpreadConstraint, clusters []*Cluster, hasBinding []bool) *spread {
	out := &spread{}
	for _, c := range constraints {
		maxSkew := 1
		if c.MaxSkew != nil {
			maxSkew = int(*c.MaxSkew)
		}
		counted := newConstraint(c.TopologyKey, maxSkew, clusters, hasBinding)
		if c.WhenUnsatisfiable == placement.ScheduleAnyway {
			out.soft = append(out.soft, counted)
		} else {
			out.hard = append(out.hard, counted)
		}
	}
	return out
}

func newConstraint(key string, maxSkew int, clusters []*Cluster, hasBinding []bool) *constraint {
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
		if hasBinding[i] {
			out.counts[number]++
		}
	}
	out.changes, out.violations = make([]int32, len(out.counts)), make([]bool, len(out.counts))
	out.evaluate()
	return out
}

func (c *constraint) evaluate() {
	if len(c.counts) == 0 {
		return
	}
	c.smallest, c.largest = slices.Min(c.counts), slices.Max(c.counts)
	c.smallestValues = 0
	for _, count := range c.counts {
		if count == c.smallest {
			c.smallestValues++
		}
	}
	for d := range c.counts {
		c.evaluateDomain(d)
	}
}

// evaluateDomain computes how one more placement in a domain changes the skew, which is the difference between the largest and the smallest
// count, and whether the result is too large. The skew is global: a domain that reduces it, but not enough, is rejected.
func (c *constraint) evaluateDomain(d int) {
	change := int32(0)
	switch count := c.counts[d]; {
	case c.largest == c.smallest:
		change = 1
	case count == c.smallest && c.smallestValues == 1:
		change = -1
	case count == c.largest:
		change = 1
	}
	c.changes[d] = change
	c.violations[d] = int(c.largest-c.smallest+change) > c.maxSkew
}

// countPlacement counts one more placement in a domain, and reports whether this can have changed the evaluation of other domains. It can if a bound changes,
// or if only one domain with the smallest count remains. Most picks do neither, and are cheap even among thousands of domains.
func (c *constraint) countPlacement(d int32) (others bool) {
	count := c.counts[d]
	c.counts[d]++
	if count == c.smallest {
		c.smallestValues--
	}
	if count == c.largest || count == c.smallest && c.smallestValues <= 1 {
		c.evaluate()
		return true
	}
	c.evaluateDomain(int(d))
	return false
}

// scoreCluster scores a cluster, or returns the first DoNotSchedule constraint that it violates. A missing label is neutral.
func (s *spread) scoreCluster(cluster int) (score int32, violated *constraint) {
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
