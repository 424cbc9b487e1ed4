package placement

// Nowhere tells whether a placement whose policy asks for clusters is on none. A policy may ask for none: PickN of 0, PickFixed without names.
func (s *Status) Nowhere(policy *Policy) bool {
	for _, cluster := range s.Clusters {
		if cluster.IsScheduled() {
			return false
		}
	}
	if policy == nil {
		return true
	}
	switch policy.PlacementType {
	case PickN:
		return policy.NumberOfClusters != nil && *policy.NumberOfClusters > 0
	case PickFixed:
		return len(policy.ClusterNames) > 0
	case PickAll:
	}
	return true
}
