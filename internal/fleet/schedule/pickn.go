package schedule

import (
	"errors"
	"fmt"
)

// pickN unschedules surplus and obsolete bindings if there are enough bindings under the current policy. Otherwise it picks the best clusters until there
// are enough or no more are available.
func (s *scheduler) pickN() error {
	if s.policy.NumberOfClusters == nil {
		return &Error{Where: "numberOfClusters", Err: errors.New("it is needed for PickN")}
	}
	wanted := int(*s.policy.NumberOfClusters)
	if wanted < 0 {
		return &Error{Where: "numberOfClusters", Err: fmt.Errorf("%d is negative", wanted)}
	}
	present := len(s.classes.scheduled) + len(s.classes.bound)
	if wanted <= present {
		s.scaleIn(wanted, present-wanted)
		return nil
	}
	ranking, err := s.newRanking()
	if err != nil {
		return err
	}
	for {
		limit := wanted - present
		if len(s.policy.TopologySpreadConstraints) > 0 {
			// Each pick changes the spread, which changes the scores for the next pick (PostBatch of TopologySpreadConstraints).
			limit = min(limit, 1)
		}
		winners, err := ranking.pick(limit)
		if err != nil {
			return err
		}
		created, patched, err := s.crossReference(winners, ranking.recordPicks(winners))
		if err != nil {
			return err
		}
		// KubeFleet counts bindings here, not clusters: a cluster with two bindings stops the cycles early.
		if wanted-present <= limit || len(created)+len(patched) != limit {
			losers, filtered := ranking.listUnpicked()
			s.report(wanted, losers, filtered, created, patched, s.classes.scheduled, s.classes.bound)
			return nil
		}
		s.classify()
		ranking.startNextCycle(winners)
		present = len(s.classes.scheduled) + len(s.classes.bound)
	}
}
