package schedule

import "strconv"

// pickFixed picks the named clusters that are eligible. No plugin runs, so taints are ignored.
func (s *scheduler) pickFixed() error {
	names := s.policy.ClusterNames
	if len(names) == 0 {
		// After releaseBindings, a cycle without names changes nothing: all other bindings, including obsolete ones, and the reported decisions remain.
		s.out.Fulfilled = true
		return nil
	}
	var rejected, missing []Decision
	var valid []int
	for _, name := range names {
		i := s.findCluster(name)
		if i < 0 {
			missing = append(missing, Decision{Cluster: name, Reason: "Specified cluster " + strconv.Quote(name) + " is not found"})
			continue
		}
		if reason := ineligibleReason(s.clusters[i], s.now); reason != "" {
			cause := "is not eligible for resource placement yet: " + reason
			rejected = append(rejected, Decision{Cluster: name, Reason: "Cluster " + strconv.Quote(name) + " " + cause, Cause: cause})
			continue
		}
		valid = append(valid, i)
	}
	if err := s.bindFixed(valid); err != nil {
		return err
	}
	decisions := make([]Decision, 0, len(names))
	for _, i := range valid {
		decisions = append(decisions, pickedDecision(s.clusters[i].Name, nil))
	}
	s.out.Decisions = append(append(decisions, rejected...), missing...)
	s.setCondition(len(names), len(valid))
	return nil
}

// bindFixed updates the bindings for the valid clusters (KubeFleet, crossReferenceValidTargetsWithBindings). valid has the indexes of these clusters. A
// binding under the current policy remains even if its cluster is no longer valid. In this case, an obsolete binding is unscheduled. If a cluster without a
// binding is named twice, it gets two bindings.
func (s *scheduler) bindFixed(valid []int) error {
	hasBinding := s.findClustersWithBinding()
	obsolete, unscheduled := lastByCluster(s.classes.obsolete), lastByCluster(s.classes.unscheduled)
	wanted := make(map[int]bool, len(valid))
	restored := map[int]bool{}
	for _, i := range valid {
		wanted[i] = true
		if b := unscheduled[i]; !hasBinding[i] && obsolete[i] == nil && b != nil {
			if b.PreviousState == "" || restored[i] {
				return errNoPreviousState(b)
			}
			restored[i] = true
		}
	}
	for _, i := range valid {
		d := pickedDecision(s.clusters[i].Name, nil)
		switch {
		case hasBinding[i]:
		case obsolete[i] != nil:
			obsolete[i].restamp(d)
		case unscheduled[i] != nil:
			unscheduled[i].restamp(d)
		default:
			s.createBinding(i, d)
		}
	}
	for _, b := range s.classes.obsolete {
		if !wanted[b.cluster] {
			b.unschedule()
		}
	}
	return nil
}

func lastByCluster(bindings []*trackedBinding) map[int]*trackedBinding {
	out := make(map[int]*trackedBinding, len(bindings))
	for _, b := range bindings {
		if b.cluster >= 0 {
			out[b.cluster] = b
		}
	}
	return out
}
