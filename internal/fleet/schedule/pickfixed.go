package schedule

import "strconv"

// pickFixed takes the clusters that are named and eligible. No plugin runs: taints do not matter.
func (s *scheduler) pickFixed() error {
	names := s.policy.ClusterNames
	if len(names) == 0 {
		// Without names the cycle does nothing; bindings stay, obsolete ones too, and so does what was reported before.
		s.out.Fulfilled = true
		return nil
	}
	var refused, missing []Decision
	var valid []int
	for _, name := range names {
		i := s.find(name)
		if i < 0 {
			missing = append(missing, Decision{Cluster: name, Reason: "Specified cluster " + strconv.Quote(name) + " is not found"})
			continue
		}
		if reason := ineligible(s.clusters[i], s.now); reason != "" {
			cause := "is not eligible for resource placement yet: " + reason
			refused = append(refused, Decision{Cluster: name, Reason: "Cluster " + strconv.Quote(name) + " " + cause, Cause: cause})
			continue
		}
		valid = append(valid, i)
	}
	if err := s.bindFixed(valid); err != nil {
		return err
	}
	decisions := make([]Decision, 0, len(names))
	for _, i := range valid {
		decisions = append(decisions, picked(s.clusters[i].Name, nil))
	}
	s.out.Decisions = append(append(decisions, refused...), missing...)
	s.conclude(len(names), len(valid))
	return nil
}

// bindFixed brings the bindings in line with the valid clusters (KubeFleet, crossReferenceValidTargetsWithBindings). A binding under the
// present policy stays even if its cluster is not valid now; an obsolete one does not. A name that is there twice is bound twice.
func (s *scheduler) bindFixed(valid []int) error {
	held := s.held()
	obsolete, unscheduled := lastByCluster(s.classes.obsolete), lastByCluster(s.classes.unscheduled)
	wanted := make(map[int]bool, len(valid))
	restored := map[int]bool{}
	for _, i := range valid {
		wanted[i] = true
		if b := unscheduled[i]; !held[i] && obsolete[i] == nil && b != nil {
			if b.PreviousState == "" || restored[i] {
				return noPreviousState(b)
			}
			restored[i] = true
		}
	}
	for _, i := range valid {
		d := picked(s.clusters[i].Name, nil)
		switch {
		case held[i]:
		case obsolete[i] != nil:
			obsolete[i].stamp(d)
		case unscheduled[i] != nil:
			unscheduled[i].stamp(d)
		default:
			s.create(i, d)
		}
	}
	for _, b := range s.classes.obsolete {
		if !wanted[b.cluster] {
			b.unschedule()
		}
	}
	return nil
}

func lastByCluster(bindings []*tracked) map[int]*tracked {
	out := make(map[int]*tracked, len(bindings))
	for _, b := range bindings {
		if b.cluster >= 0 {
			out[b.cluster] = b
		}
	}
	return out
}
