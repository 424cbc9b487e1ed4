package schedule

import "errors"

// crossReference turns picks into bindings (KubeFleet, crossReferencePickedClustersAndDeDupBindings). Obsolete bindings to a picked cluster
// are re-stamped and the others unscheduled; unscheduled ones to a picked cluster are restored and the others left; picked clusters with
// neither get a new one. picks holds the index of the pick of each cluster plus one, or 0.
func (s *scheduler) crossReference(winners []candidate, picks []int32) (created, patched []*tracked, err error) {
	pickOf := func(b *tracked) int32 {
		if b.cluster < 0 {
			return 0
		}
		return picks[b.cluster]
	}
	for _, b := range s.classes.unscheduled {
		if pickOf(b) > 0 && b.PreviousState == "" {
			return nil, nil, noPreviousState(b)
		}
	}
	patch := func(b *tracked, pick int32) {
		winner := winners[pick-1]
		b.stamp(picked(b.Cluster, new(winner.score)))
		patched = append(patched, b)
		picks[b.cluster] = -pick // there is a binding
	}
	for _, list := range [][]*tracked{s.classes.obsolete, s.classes.unscheduled} {
		for _, b := range list {
			switch pick := pickOf(b); {
			case pick != 0:
				patch(b, max(pick, -pick))
			case b.State != Unscheduled:
				b.unschedule()
			}
		}
	}
	for i, winner := range winners {
		if picks[winner.cluster] == int32(i+1) {
			created = append(created, s.create(winner.cluster, picked(s.clusters[winner.cluster].Name, new(winner.score))))
		}
		picks[winner.cluster] = 0
	}
	return created, patched, nil
}

func noPreviousState(b *tracked) error {
	return &Error{Cluster: b.Cluster, Where: "binding " + b.Name,
		Err: errors.New("it is unscheduled and does not say which state it had before, so it cannot be restored")}
}
