package placement

// Defaulted returns the spec with the defaults of KubeFleet's API and webhooks (field defaults in apis/placement/v1beta1 and
// pkg/utils/defaulter of KubeFleet). The receiver is not changed.
func (s Spec) Defaulted() Spec {
	policy := Policy{}
	if s.Policy != nil {
		policy = *s.Policy
	}
	policy.PlacementType = orDefault(policy.PlacementType, PickAll)
	policy.TopologySpreadConstraints = withDefaultConstraints(policy.TopologySpreadConstraints)
	policy.Tolerations = withDefaultTolerations(policy.Tolerations)
	s.Policy = &policy

	strategy := Strategy{}
	if s.Strategy != nil {
		strategy = *s.Strategy
	}
	strategy = strategy.withDefaults()
	s.Strategy = &strategy

	if s.RevisionHistoryLimit == nil {
		s.RevisionHistoryLimit = new(int32(10))
	}
	s.StatusReportingScope = orDefault(s.StatusReportingScope, ClusterScopeOnly)
	selectors := make([]ResourceSelector, len(s.ResourceSelectors))
	for i, selector := range s.ResourceSelectors {
		selector.SelectionScope = orDefault(selector.SelectionScope, NamespaceWithResources)
		selectors[i] = selector
	}
	s.ResourceSelectors = selectors
	return s
}

func (s Strategy) withDefaults() Strategy {
	s.Type = orDefault(s.Type, RollingUpdateStrategy)
	if s.Type == RollingUpdateStrategy {
		rolling := RollingUpdate{}
		if s.RollingUpdate != nil {
			rolling = *s.RollingUpdate
		}
		rolling.MaxUnavailable = orDefault(rolling.MaxUnavailable, "25%")
		rolling.MaxSurge = orDefault(rolling.MaxSurge, "25%")
		if rolling.UnavailablePeriodSeconds == nil {
			rolling.UnavailablePeriodSeconds = new(int64(60))
		}
		s.RollingUpdate = &rolling
	}
	apply := ApplyStrategy{}
	if s.ApplyStrategy != nil {
		apply = *s.ApplyStrategy
	}
	apply.Type = orDefault(apply.Type, ClientSideApply)
	apply.ComparisonOption = orDefault(apply.ComparisonOption, PartialComparison)
	apply.WhenToApply = orDefault(apply.WhenToApply, ApplyAlways)
	apply.WhenToTakeOver = orDefault(apply.WhenToTakeOver, TakeOverAlways)
	if apply.AllowCoOwnership == nil {
		apply.AllowCoOwnership = new(bool)
	}
	if apply.Type == ServerSideApply {
		config := ServerSideApplyConfig{}
		if apply.ServerSideApplyConfig != nil {
			config = *apply.ServerSideApplyConfig
		}
		if config.Force == nil {
			config.Force = new(bool)
		}
		apply.ServerSideApplyConfig = &config
	}
	s.ApplyStrategy = &apply
	deletion := DeleteStrategy{}
	if s.DeleteStrategy != nil {
		deletion = *s.DeleteStrategy
	}
	deletion.PropagationPolicy = orDefault(deletion.PropagationPolicy, DeleteObjects)
	deletion.Contents = orDefault(deletion.Contents, KeepContents)
	s.DeleteStrategy = &deletion
	return s
}

func withDefaultConstraints(in []TopologySpreadConstraint) []TopologySpreadConstraint {
	if in == nil {
		return nil
	}
	out := make([]TopologySpreadConstraint, len(in))
	for i, c := range in {
		if c.MaxSkew == nil {
			c.MaxSkew = new(int32(1))
		}
		c.WhenUnsatisfiable = orDefault(c.WhenUnsatisfiable, DoNotSchedule)
		out[i] = c
	}
	return out
}

func withDefaultTolerations(in []Toleration) []Toleration {
	if in == nil {
		return nil
	}
	out := make([]Toleration, len(in))
	for i, t := range in {
		t.Operator = orDefault(t.Operator, TolerationEqual)
		out[i] = t
	}
	return out
}

func orDefault[T ~string](value, fallback T) T {
	if value == "" {
		return fallback
	}
	return value
}
