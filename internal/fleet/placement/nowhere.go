package placement

// AsksForNone reports whether a policy requests no cluster at all: PickN with 0, or PickFixed without names.
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

// Nowhere reports whether a placement is on no cluster although its policy requests some.
func (s *Status) Nowhere(policy *Policy) bool {
	for _, cluster := range s.Clusters {
		if cluster.IsScheduled() {
			return false
		}
	}
	return !policy.AsksForNone()
}
