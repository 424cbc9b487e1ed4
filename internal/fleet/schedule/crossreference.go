package schedule

import "errors"

// crossReference creates and updates bindings for picks (KubeFleet, crossReferencePickedClustersAndDeDupBindings). It re-stamps the obsolete bindings and
// restores the unscheduled bindings of picked clusters. For a picked cluster with neither, it creates a binding. It unschedules the other obsolete bindings.
// picks has, for each cluster, its index in winners plus one, or 0 if the cluster was not picked. If crossReference succeeds, it resets all entries of picks
// to 0, and returns the new bindings and those that it re-stamped or restored.
func (s *scheduler) crossReference(winners []candidate, picks []int32) (created, patched []*trackedBinding, err error) {
	pickOf := func(b *trackedBinding) int32 {
		if b.cluster < 0 {
			return 0
		}
		return picks[b.cluster]
	}
	for _, b := range s.classes.unscheduled {
		if pickOf(b) > 0 && b.PreviousState == "" {
			return nil, nil, errNoPreviousState(b)
		}
	}
	patch := func(b *trackedBinding, pick int32) {
		winner := winners[pick-1]
		b.restamp(pickedDecision(b.Cluster, new(winner.score)))
		patched = append(patched, b)
		picks[b.cluster] = -pick // the cluster has a binding
	}
	for _, list := range [][]*trackedBinding{s.classes.obsolete, s.classes.unscheduled} {
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
			created = append(created, s.createBinding(winner.cluster, pickedDecision(s.clusters[winner.cluster].Name, new(winner.score))))
		}
		picks[winner.cluster] = 0
	}
	return created, patched, nil
}

func errNoPreviousState(b *trackedBinding) error {
	return &Error{Cluster: b.Cluster, Where: "binding " + b.Name,
		Err: errors.New("it is unscheduled and does not say which state it had before, so it cannot be restored")}
}
