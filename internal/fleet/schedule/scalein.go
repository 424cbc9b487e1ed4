package schedule

import (
	"cmp"
	"slices"
)

// scaleIn unschedules surplus bindings and all obsolete ones (KubeFleet, shouldDownscale and downscale). It starts with bindings that are not yet Bound,
// regardless of their score. Within a state, it starts with the lowest stored score, and at equal scores with the smallest cluster name. Scores are not
// updated. The report has only the remaining clusters.
func (s *scheduler) scaleIn(wanted, surplus int) {
	scheduled, bound := s.classes.scheduled, s.classes.bound
	if surplus+len(s.classes.obsolete) == 0 {
		s.report(wanted, nil, nil, bound, scheduled)
		return
	}
	for _, b := range s.classes.obsolete {
		b.unschedule()
	}
	scheduled = unscheduleWorst(scheduled, min(surplus, len(scheduled)))
	bound = unscheduleWorst(bound, surplus-(len(s.classes.scheduled)-len(scheduled)))
	s.report(wanted, nil, nil, scheduled, bound)
}

// unscheduleWorst unschedules count bindings and returns the others. It sorts bindings only if it unschedules some of them, and not all.
func unscheduleWorst(bindings []*trackedBinding, count int) []*trackedBinding {
	if count > 0 && count < len(bindings) {
		slices.SortStableFunc(bindings, func(a, b *trackedBinding) int {
			return cmp.Or(compareScore(a.Score, b.Score), cmp.Compare(a.Cluster, b.Cluster))
		})
	}
	for _, b := range bindings[:count] {
		b.unschedule()
	}
	return bindings[count:]
}
