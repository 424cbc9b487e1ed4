package placement

// WithoutUnusedParts returns the spec without empty parts that its placement type, strategy type or apply type excludes, such as cluster_names = []
// with PickAll, and without a required affinity that has no list of terms. Modules often pass such an empty value, and the API rejects it. The receiver is
// not changed.
func (s Spec) WithoutUnusedParts() Spec {
	if s.Policy != nil {
		s.Policy = new(s.Policy.withoutUnusedParts())
	}
	if s.Strategy != nil {
		s.Strategy = new(s.Strategy.withoutUnusedParts())
	}
	return s
}

func (p Policy) withoutUnusedParts() Policy {
	placementType := orDefault(p.PlacementType, PickAll)
	if placementType != PickFixed && len(p.ClusterNames) == 0 {
		p.ClusterNames = nil
	}
	if placementType != PickN && len(p.TopologySpreadConstraints) == 0 {
		p.TopologySpreadConstraints = nil
	}
	if placementType == PickFixed && len(p.Tolerations) == 0 {
		p.Tolerations = nil
	}
	p.Affinity = p.Affinity.withoutUnusedParts()
	if placementType == PickFixed && p.Affinity.isEmpty() {
		p.Affinity = nil
	}
	return p
}

func (a *Affinity) withoutUnusedParts() *Affinity {
	if a == nil || a.ClusterAffinity == nil || a.ClusterAffinity.Required == nil || a.ClusterAffinity.Required.ClusterSelectorTerms != nil {
		return a
	}
	return &Affinity{ClusterAffinity: &ClusterAffinity{Preferred: a.ClusterAffinity.Preferred}}
}

func (a *Affinity) isEmpty() bool {
	return a == nil || a.ClusterAffinity == nil || a.ClusterAffinity.Required == nil && len(a.ClusterAffinity.Preferred) == 0
}

func (s Strategy) withoutUnusedParts() Strategy {
	if s.Type == ExternalStrategy && s.RollingUpdate != nil && *s.RollingUpdate == (RollingUpdate{}) {
		s.RollingUpdate = nil
	}
	if a := s.ApplyStrategy; a != nil && a.Type != ServerSideApply && a.ServerSideApplyConfig != nil && a.ServerSideApplyConfig.Force == nil {
		apply := *a
		apply.ServerSideApplyConfig = nil
		s.ApplyStrategy = &apply
	}
	return s
}
