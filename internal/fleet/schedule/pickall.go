package schedule

// pickAll takes every cluster that passes the filters; nothing is scored. Bindings under the present policy stay, whatever their clusters
// look like now, unless these are gone or leaving.
func (s *scheduler) pickAll() error {
	held := s.held()
	spread := newSpread(s.policy.TopologySpreadConstraints, s.clusters, held)
	var winners []candidate
	var filtered []rejection
	picks := make([]int32, len(s.clusters))
	filters := s.newFilters()
	for i := range s.clusters {
		reason, err := s.refuse(filters, i)
		if err != nil {
			return err
		}
		if reason == "" && held[i] {
			continue
		}
		if _, violated := spread.judge(i); reason == "" && violated != nil {
			reason = violated.reason
		}
		if reason != "" {
			filtered = append(filtered, rejection{cluster: i, reason: reason})
			continue
		}
		winners = append(winners, candidate{cluster: i})
		picks[i] = int32(len(winners))
	}
	bound, scheduled := s.classes.bound, s.classes.scheduled
	created, patched, err := s.crossReference(winners, picks)
	if err != nil {
		return err
	}
	// What is wanted is what there is: PickAll is always fulfilled.
	s.report(len(created)+len(patched)+len(scheduled)+len(bound), nil, filtered, created, patched, scheduled, bound)
	return nil
}
