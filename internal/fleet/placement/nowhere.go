package placement

// AsksForNone tells whether a policy asks for no cluster at all: PickN of 0, PickFixed without names.
func (p *Policy) AsksForNone() bool {
	if p == nil {
		return false
	}
	switch p.PlacementType {
	case PickN:
		return p.NumberOfClusters != nil && *p.NumberOfClusters == 0
	case PickFixed:
		return len(p.ClusterNames) == 0
	case PickAll:
	}
	return false
}

// Nowhere tells whether a placement is on no cluster though its policy asks for some.
func (s *Status) Nowhere(policy *Policy) bool {
	for _, cluster := range s.Clusters {
		if cluster.IsScheduled() {
			return false
		}
	}
	return !policy.AsksForNone()
}
