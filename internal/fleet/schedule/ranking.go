package schedule

import (
	"cmp"
	"math"
	"slices"
)

// ranking ranks the clusters that pass the filters: by topology spread score, then affinity score, then an existing obsolete binding
// (SamePlacementAntiAffinity's score), then the alphabetically last name.
//
// Clusters with the same values of all topology keys have the same topology spread score, and form a group. A pick compares one cluster of each group, and
// updates the scores of only those groups that the last pick can have changed.
type ranking struct {
	s           *scheduler
	spread      *spread
	filtered    []rejection // the rejections by filters that do not depend on picks
	affinity    []int32
	hasObsolete []bool
	errs        []error
	groups      []group
	// keys holds the rank of each group; the smallest is the best. The rank is a single number, because each pick compares all ranks.
	keys []int64
	// ranks holds the rank of each cluster within its topology group.
	ranks []int32
	// isScored reports whether the scores of the groups are up to date with the counts of the constraints.
	isScored bool
	picks    []int32

	anyObsolete bool
}

// group has the clusters with the same topology.
type group struct {
	members  []int32 // sorted from the best; picked members are removed, so the list may be empty
	faulty   int32   // the first member, by name, that cannot be scored, or -1
	score    int32
	violated *constraint
}

// newRanking runs the filters and computes all scores except for topology. Picks do not change the affinity scores.
func (s *scheduler) newRanking() (*ranking, error) {
	hasBinding := s.findClustersWithBinding()
	c := &ranking{
		s: s, spread: newSpread(s.policy.TopologySpreadConstraints, s.clusters, hasBinding),
		affinity: make([]int32, len(s.clusters)), hasObsolete: make([]bool, len(s.clusters)), picks: make([]int32, len(s.clusters)),
	}
	filters := s.newFilters()
	eligible := make([]int32, 0, len(s.clusters))
	for i := range s.clusters {
		reason, err := s.rejectionReason(filters, i)
		switch {
		case err != nil:
			return nil, err
		case reason != "":
			c.filtered = append(c.filtered, rejection{cluster: i, reason: reason})
		case !hasBinding[i]:
			// Clusters that already have the placement are dropped without a decision (SamePlacementAntiAffinity).
			eligible = append(eligible, int32(i))
		}
	}
	if err := c.scoreAffinity(&filters.properties, eligible); err != nil {
		return nil, err
	}
	for _, b := range s.classes.obsolete {
		c.hasObsolete[b.cluster], c.anyObsolete = true, true
	}
	c.ranks = make([]int32, len(s.clusters))
	c.rank(eligible)
	c.groupClusters(eligible)
	return c, nil
}

func (c *ranking) rank(clusters []int32) {
	slices.SortFunc(clusters, c.compare)
	for i, cluster := range clusters {
		c.ranks[cluster] = int32(i)
	}
}

// scoreAffinity scores the clusters by preference. An error for a cluster only counts if the cluster passes the filter for topology spread.
func (c *ranking) scoreAffinity(properties *properties, eligible []int32) error {
	preferred := newPreferredAffinity(c.s.policy.Affinity, properties)
	if err := preferred.prepare(c.s.clusters); err != nil {
		return err
	}
	for _, i := range eligible {
		score, err := preferred.score(c.s.clusters[i], int(i))
		if err != nil {
			if c.errs == nil {
				c.errs = make([]error, len(c.s.clusters))
			}
			c.errs[i] = err
		}
		c.affinity[i] = score
	}
	return nil
}

// compare ranks clusters of the same topology, the better first. Indexes are in the order of the names.
func (c *ranking) compare(a, b int32) int {
	if by := cmp.Compare(c.affinity[b], c.affinity[a]); by != 0 {
		return by
	}
	if by := compareBool(c.hasObsolete[b], c.hasObsolete[a]); by != 0 {
		return by
	}
	return cmp.Compare(b, a)
}

func (c *ranking) groupClusters(eligible []int32) {
	numbers := make([]int32, len(eligible))
	count := min(1, len(eligible))
	for _, list := range [][]*constraint{c.spread.hard, c.spread.soft} {
		for _, constraint := range list {
			// Each pair of a cluster's current group and its domain gets a number, which is the cluster's new group.
			pairs := make(map[[2]int32]int32, len(constraint.counts)+1)
			for i, cluster := range eligible {
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
	all, start := make([]int32, len(eligible)), 0
	for number, size := range sizes {
		c.groups[number] = group{members: all[start:start:(start + size)], faulty: -1}
		start += size
	}
	for _, list := range [][]*constraint{c.spread.hard, c.spread.soft} {
		for _, constraint := range list {
			constraint.groups = make([]int32, count)
			for i, cluster := range eligible {
				constraint.groups[numbers[i]] = constraint.domains[cluster]
			}
		}
	}
	for i, cluster := range eligible {
		g := &c.groups[numbers[i]]
		g.members = append(g.members, cluster)
		if c.errs != nil && c.errs[cluster] != nil && (g.faulty < 0 || cluster < g.faulty) {
			g.faulty = cluster
		}
	}
}

// pick picks up to limit of the best clusters. It does not update the scores of the groups after a pick: startNextCycle does.
func (c *ranking) pick(limit int) ([]candidate, error) {
	if !c.isScored {
		for i := range c.groups {
			c.scoreGroup(i)
		}
		c.isScored = true
	}
	if err := c.firstError(); err != nil {
		return nil, err
	}
	var winners []candidate
	for len(winners) < limit {
		best, key := -1, excludedKey
		for i, other := range c.keys {
			if other < key {
				best, key = i, other
			}
		}
		if best < 0 {
			break
		}
		winners = append(winners, c.takeBest(best))
	}
	return winners, nil
}

func (c *ranking) scoreGroup(number int) {
	g := &c.groups[number]
	if len(g.members) > 0 {
		g.score, g.violated = c.spread.scoreCluster(int(g.members[0]))
	}
	c.keys[number] = c.key(g)
}

// excludedKey is the key of a group from which no cluster can be picked.
const excludedKey int64 = math.MaxInt64

// key ranks a group by its score, and groups with the same score by their best members.
func (c *ranking) key(g *group) int64 {
	if len(g.members) == 0 || g.violated != nil {
		return excludedKey
	}
	return -int64(g.score)<<32 + int64(c.ranks[g.members[0]])
}

// firstError returns the error of the first cluster, by name, that passes all filters and cannot be scored. It returns nil if there is none.
func (c *ranking) firstError() error {
	if c.errs == nil {
		return nil
	}
	first := int32(-1)
	for i := range c.groups {
		if g := &c.groups[i]; len(g.members) > 0 && g.violated == nil && g.faulty >= 0 && (first < 0 || g.faulty < first) {
			first = g.faulty
		}
	}
	if first < 0 {
		return nil
	}
	return c.errs[first]
}

func (c *ranking) takeBest(number int) candidate {
	g := &c.groups[number]
	winner := c.candidate(g, g.members[0])
	g.members = g.members[1:]
	c.keys[number] = c.key(g)
	return winner
}

func (c *ranking) candidate(g *group, cluster int32) candidate {
	return candidate{cluster: int(cluster), score: Score{Affinity: c.affinity[cluster], TopologySpread: g.score}}
}

// recordPicks records the pick of each cluster for crossReference, which resets the records.
func (c *ranking) recordPicks(winners []candidate) []int32 {
	for i, winner := range winners {
		c.picks[winner.cluster] = int32(i + 1)
	}
	return c.picks
}

// startNextCycle counts the picks of the last cycle, and prepares the next cycle. All obsolete bindings are now either under the current policy or
// unscheduled, and unscheduled bindings do not affect the score. With spread constraints, obsolete bindings therefore matter only for the first pick.
func (c *ranking) startNextCycle(winners []candidate) {
	for _, winner := range winners {
		c.countPick(winner.cluster)
	}
	if !c.anyObsolete {
		return
	}
	c.anyObsolete = false
	clear(c.hasObsolete)
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

// countPick counts the pick of a cluster, and updates the scores of the groups that share a domain with this cluster. If the scores of other groups can
// change as well, the next call of pick updates all scores.
func (c *ranking) countPick(cluster int) {
	for _, list := range [][]*constraint{c.spread.hard, c.spread.soft} {
		for _, constraint := range list {
			if d := constraint.domains[cluster]; d >= 0 && constraint.countPlacement(d) {
				c.isScored = false
			}
		}
	}
	if !c.isScored {
		return
	}
	for _, list := range [][]*constraint{c.spread.hard, c.spread.soft} {
		for _, constraint := range list {
			if d := constraint.domains[cluster]; d >= 0 {
				c.scoreDomain(constraint, d)
			}
		}
	}
}

func (c *ranking) scoreDomain(constraint *constraint, domain int32) {
	for i, d := range constraint.groups {
		if d == domain {
			c.scoreGroup(i)
		}
	}
}

func (c *ranking) listUnpicked() (losers []candidate, filtered []rejection) {
	size := 0
	for _, g := range c.groups {
		size += len(g.members)
	}
	losers = make([]candidate, 0, size)
	filtered = make([]rejection, 0, len(c.filtered)+size)
	filtered = append(filtered, c.filtered...)
	for i := range c.groups {
		g := &c.groups[i]
		for _, member := range g.members {
			if g.violated != nil {
				filtered = append(filtered, rejection{cluster: int(member), reason: g.violated.reason})
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
