package schedule

import (
	"cmp"
	"math"
	"slices"
)

// contest ranks the clusters that pass the filters. The best first: topology spread score, affinity score, whether an obsolete binding is
// there (SamePlacementAntiAffinity's score), and the name that comes last.
//
// Clusters that have the same values of all topology keys always have the same topology spread score, so they are kept together, ranked by
// the rest. A pick then compares one cluster of each such group instead of all clusters, and scores those groups only which the last pick can
// have changed.
type contest struct {
	s        *scheduler
	spread   *spread
	static   []rejection // those that the filters refused which do not depend on picks
	affinity []int32
	sticky   []bool // which clusters have an obsolete binding
	faults   []error
	groups   []group
	// keys has the rank of each group among all of them, the smallest the best. It is one number, because a pick compares all of them.
	keys []int64
	// ranks has the rank of each cluster among those that are alike in topology.
	ranks []int32
	// judged says that the scores of the groups are those of the present counts.
	judged bool
	picks  []int32

	anySticky bool
}

// group is clusters that are alike in topology.
type group struct {
	members []int32 // the best first; those that were picked are cut off, so that there may be none
	fault   int32   // a member that cannot be scored, or -1
	score   int32
	refused *constraint
}

// newContest runs the filters and scores what passes, except for topology. It is done once: none of it changes by picks.
func (s *scheduler) newContest() (*contest, error) {
	held := s.held()
	c := &contest{
		s: s, spread: newSpread(s.policy.TopologySpreadConstraints, s.clusters, held),
		affinity: make([]int32, len(s.clusters)), sticky: make([]bool, len(s.clusters)), picks: make([]int32, len(s.clusters)),
	}
	filters := s.newFilters()
	entrants := make([]int32, 0, len(s.clusters))
	for i := range s.clusters {
		reason, err := s.refuse(filters, i)
		switch {
		case err != nil:
			return nil, err
		case reason != "":
			c.static = append(c.static, rejection{cluster: i, reason: reason})
		case !held[i]:
			// Clusters that hold the placement already are dropped without a word (SamePlacementAntiAffinity).
			entrants = append(entrants, int32(i))
		}
	}
	if err := c.scoreAffinity(&filters.properties, entrants); err != nil {
		return nil, err
	}
	for _, b := range s.classes.obsolete {
		c.sticky[b.cluster], c.anySticky = true, true
	}
	c.ranks = make([]int32, len(s.clusters))
	c.rank(entrants)
	c.group(entrants)
	return c, nil
}

// rank sorts the clusters that can still be picked, the best first, and numbers them.
func (c *contest) rank(clusters []int32) {
	slices.SortFunc(clusters, c.compare)
	for i, cluster := range clusters {
		c.ranks[cluster] = int32(i)
	}
}

// scoreAffinity scores the clusters by preference. One that cannot be scored only counts once it passes the filter for topology spread.
func (c *contest) scoreAffinity(properties *properties, entrants []int32) error {
	preferred := newPreferredAffinity(c.s.policy.Affinity, properties)
	if err := preferred.prepare(c.s.clusters); err != nil {
		return err
	}
	for _, i := range entrants {
		score, err := preferred.score(c.s.clusters[i], int(i))
		if err != nil {
			if c.faults == nil {
				c.faults = make([]error, len(c.s.clusters))
			}
			c.faults[i] = err
		}
		c.affinity[i] = score
	}
	return nil
}

// compare ranks clusters that are alike in topology, the better first. Indexes are in the order of the names.
func (c *contest) compare(a, b int32) int {
	if by := cmp.Compare(c.affinity[b], c.affinity[a]); by != 0 {
		return by
	}
	if by := compareBool(c.sticky[b], c.sticky[a]); by != 0 {
		return by
	}
	return cmp.Compare(b, a)
}

// group puts clusters that are alike in topology together and keeps their order.
func (c *contest) group(entrants []int32) {
	numbers := make([]int32, len(entrants))
	count := min(1, len(entrants))
	for _, list := range [][]*constraint{c.spread.hard, c.spread.soft} {
		for _, constraint := range list {
			// Numbers the pairs of the group so far and the domain.
			pairs := make(map[[2]int32]int32, len(constraint.counts)+1)
			for i, cluster := range entrants {
				pair := [2]int32{numbers[i], constraint.domains[cluster]}
				number, found := pairs[pair]
				if !found {
					number = int32(len(pairs))
					pairs[pair] = number
				}
				numbers[i] = number
			}
			count = len(pairs)
		}
	}
	sizes := make([]int, count)
	for _, number := range numbers {
		sizes[number]++
	}
	c.groups, c.keys = make([]group, count), make([]int64, count)
	all, start := make([]int32, len(entrants)), 0
	for number, size := range sizes {
		c.groups[number] = group{members: all[start:start:(start + size)], fault: -1}
		start += size
	}
	for _, list := range [][]*constraint{c.spread.hard, c.spread.soft} {
		for _, constraint := range list {
			constraint.groups = make([]int32, count)
			for i, cluster := range entrants {
				constraint.groups[numbers[i]] = constraint.domains[cluster]
			}
		}
	}
	for i, cluster := range entrants {
		g := &c.groups[numbers[i]]
		g.members = append(g.members, cluster)
		if c.faults != nil && c.faults[cluster] != nil && (g.fault < 0 || cluster < g.fault) {
			g.fault = cluster
		}
	}
}

// pick takes so many of the best clusters, or fewer if there are no more. All groups keep the scores that they were judged by.
func (c *contest) pick(limit int) ([]candidate, error) {
	if !c.judged {
		for i := range c.groups {
			c.judge(i)
		}
		c.judged = true
	}
	if err := c.fault(); err != nil {
		return nil, err
	}
	var winners []candidate
	for len(winners) < limit {
		best, key := -1, excluded
		for i, other := range c.keys {
			if other < key {
				best, key = i, other
			}
		}
		if best < 0 {
			break
		}
		winners = append(winners, c.take(best))
	}
	return winners, nil
}

// judge scores a group by the present counts.
func (c *contest) judge(number int) {
	g := &c.groups[number]
	if len(g.members) > 0 {
		g.score, g.refused = c.spread.judge(int(g.members[0]))
	}
	c.keys[number] = c.key(g)
}

// excluded is the key of a group without a cluster to pick.
const excluded int64 = math.MaxInt64

// key ranks a group by its score, and by its best member among groups of the same score.
func (c *contest) key(g *group) int64 {
	if len(g.members) == 0 || g.refused != nil {
		return excluded
	}
	return -int64(g.score)<<32 + int64(c.ranks[g.members[0]])
}

// fault is the error of the first cluster that passes all filters and cannot be scored.
func (c *contest) fault() error {
	if c.faults == nil {
		return nil
	}
	first := int32(-1)
	for i := range c.groups {
		if g := &c.groups[i]; len(g.members) > 0 && g.refused == nil && g.fault >= 0 && (first < 0 || g.fault < first) {
			first = g.fault
		}
	}
	if first < 0 {
		return nil
	}
	return c.faults[first]
}

// take cuts off the best member of a group.
func (c *contest) take(number int) candidate {
	g := &c.groups[number]
	winner := c.candidate(g, g.members[0])
	g.members = g.members[1:]
	c.keys[number] = c.key(g)
	return winner
}

func (c *contest) candidate(g *group, cluster int32) candidate {
	return candidate{cluster: int(cluster), score: Score{Affinity: c.affinity[cluster], TopologySpread: g.score}}
}

// mark notes the pick of each cluster for crossReference, which clears the notes again.
func (c *contest) mark(winners []candidate) []int32 {
	for i, winner := range winners {
		c.picks[winner.cluster] = int32(i + 1)
	}
	return c.picks
}

// settle gets ready for the next cycle. What was obsolete is now either under the present policy or unscheduled, and unscheduled bindings
// earn nothing: with spread constraints stickiness is for the first pick only.
func (c *contest) settle(winners []candidate) {
	for _, winner := range winners {
		c.count(winner.cluster)
	}
	if !c.anySticky {
		return
	}
	c.anySticky = false
	clear(c.sticky)
	var all []int32
	for _, g := range c.groups {
		all = append(all, g.members...)
	}
	c.rank(all)
	for i, g := range c.groups {
		slices.SortFunc(g.members, func(a, b int32) int { return cmp.Compare(c.ranks[a], c.ranks[b]) })
		c.keys[i] = c.key(&c.groups[i])
	}
}

// count counts a pick, and judges the groups again that share a domain with it. Where it changes more, all of them are judged at the next pick.
func (c *contest) count(cluster int) {
	for _, list := range [][]*constraint{c.spread.hard, c.spread.soft} {
		for _, constraint := range list {
			if d := constraint.domains[cluster]; d >= 0 && constraint.add(d) {
				c.judged = false
			}
		}
	}
	if !c.judged {
		return
	}
	for _, list := range [][]*constraint{c.spread.hard, c.spread.soft} {
		for _, constraint := range list {
			if d := constraint.domains[cluster]; d >= 0 {
				c.judgeDomain(constraint, d)
			}
		}
	}
}

func (c *contest) judgeDomain(constraint *constraint, domain int32) {
	for i, d := range constraint.groups {
		if d == domain {
			c.judge(i)
		}
	}
}

// rest returns those that were not picked, the best first, and all that were filtered out, by name.
func (c *contest) rest() (losers []candidate, filtered []rejection) {
	size := 0
	for _, g := range c.groups {
		size += len(g.members)
	}
	losers = make([]candidate, 0, size)
	filtered = make([]rejection, 0, len(c.static)+size)
	filtered = append(filtered, c.static...)
	for i := range c.groups {
		g := &c.groups[i]
		for _, member := range g.members {
			if g.refused != nil {
				filtered = append(filtered, rejection{cluster: int(member), reason: g.refused.reason})
			} else {
				losers = append(losers, c.candidate(g, member))
			}
		}
	}
	slices.SortFunc(losers, func(a, b candidate) int {
		if by := cmp.Compare(b.score.TopologySpread, a.score.TopologySpread); by != 0 {
			return by
		}
		return c.compare(int32(a.cluster), int32(b.cluster))
	})
	slices.SortFunc(filtered, func(a, b rejection) int { return cmp.Compare(a.cluster, b.cluster) })
	return losers, filtered
}
