package schedule

import (
	"errors"
	"fmt"
)

// pickN gives up bindings if there are too many, and else picks the best clusters until there are enough or no more can be had.
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
	contest, err := s.newContest()
	if err != nil {
		return err
	}
	for {
		limit := wanted - present
		if len(s.policy.TopologySpreadConstraints) > 0 {
			// Every pick changes the spread, so that the next one has to be judged anew (PostBatch of TopologySpreadConstraints).
			limit = min(limit, 1)
		}
		winners, err := contest.pick(limit)
		if err != nil {
			return err
		}
		created, patched, err := s.crossReference(winners, contest.mark(winners))
		if err != nil {
			return err
		}
		// Upstream counts bindings here, not clusters: a cluster with two stops the cycles early.
		if wanted-present <= limit || len(created)+len(patched) != limit {
			losers, filtered := contest.rest()
			s.report(wanted, losers, filtered, created, patched, s.classes.scheduled, s.classes.bound)
			return nil
		}
		s.classify()
		contest.settle(winners)
		present = len(s.classes.scheduled) + len(s.classes.bound)
	}
}
