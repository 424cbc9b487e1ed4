package schedule

// pickAll picks every cluster that passes the filters, without scores. A binding under the current policy remains even if its cluster no longer passes.
// releaseBindings has already unscheduled the bindings to clusters that do not exist or are leaving.
func (s *scheduler) pickAll() error {
	hasBinding := s.findClustersWithBinding()
	spread := newSpread(s.policy.TopologySpreadConstraints, s.clusters, hasBinding)
	var winners []candidate
	var filtered []rejection
	picks := make([]int32, len(s.clusters))
	filters := s.newFilters()
	for i := range s.clusters {
		reason, err := s.rejectionReason(filters, i)
		if err != nil {
			return err
		}
		if reason == "" && hasBinding[i] {
			continue
		}
		if _, violated := spread.scoreCluster(i); reason == "" && violated != nil {
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
	// The wanted number is the number found: PickAll is always fulfilled.
	s.report(len(created)+len(patched)+len(scheduled)+len(bound), nil, filtered, created, patched, scheduled, bound)
	return nil
}
