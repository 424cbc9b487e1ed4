package schedule

import (
	"cmp"
	"slices"
)

// scaleIn gives up surplus bindings, and all obsolete ones at once (KubeFleet, shouldDownscale and downscale). Bindings that are not
// released to their clusters yet go first, however good. Then the lowest stored score goes first, and of equals the smallest name: scores
// are not made anew. Only the clusters that stay are reported.
func (s *scheduler) scaleIn(wanted, surplus int) {
	scheduled, bound := s.classes.scheduled, s.classes.bound
	if surplus+len(s.classes.obsolete) == 0 {
		s.report(wanted, nil, nil, bound, scheduled)
		return
	}
	for _, b := range s.classes.obsolete {
		b.unschedule()
	}
	scheduled = dropWorst(scheduled, min(surplus, len(scheduled)))
	bound = dropWorst(bound, surplus-(len(s.classes.scheduled)-len(scheduled)))
	s.report(wanted, nil, nil, scheduled, bound)
}

// dropWorst unschedules so many bindings and returns the others, the worst first if there was a choice.
func dropWorst(bindings []*tracked, count int) []*tracked {
	if count > 0 && count < len(bindings) {
		slices.SortStableFunc(bindings, func(a, b *tracked) int {
			return cmp.Or(compareScore(a.Score, b.Score), cmp.Compare(a.Cluster, b.Cluster))
		})
	}
	for _, b := range bindings[:count] {
		b.unschedule()
	}
	return bindings[count:]
}
