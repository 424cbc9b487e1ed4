package placement

// Defaulted returns the spec with the values that KubeFleet's API and webhooks fill in (apis/placement/v1beta1 field defaults and
// pkg/utils/defaulter of KubeFleet). The receiver is not changed.
func (s Spec) Defaulted() Spec {
	policy := Policy{}
	if s.Policy != nil {
		policy = *s.Policy
	}
	policy.PlacementType = or(policy.PlacementType, PickAll)
	policy.TopologySpreadConstraints = defaultedConstraints(policy.TopologySpreadConstraints)
	policy.Tolerations = defaultedTolerations(policy.Tolerations)
	s.Policy = &policy

	strategy := Strategy{}
	if s.Strategy != nil {
		strategy = *s.Strategy
	}
	strategy = strategy.defaulted()
	s.Strategy = &strategy

	if s.RevisionHistoryLimit == nil {
		s.RevisionHistoryLimit = new(int32(10))
	}
	s.StatusReportingScope = or(s.StatusReportingScope, ClusterScopeOnly)
	selectors := make([]ResourceSelector, len(s.ResourceSelectors))
	for i, selector := range s.ResourceSelectors {
		selector.SelectionScope = or(selector.SelectionScope, NamespaceWithResources)
		selectors[i] = selector
	}
	s.ResourceSelectors = selectors
	return s
}

func (s Strategy) defaulted() Strategy {
	s.Type = or(s.Type, RollingUpdateStrategy)
	if s.Type == RollingUpdateStrategy {
		rolling := RollingUpdate{}
		if s.RollingUpdate != nil {
			rolling = *s.RollingUpdate
		}
		rolling.MaxUnavailable = or(rolling.MaxUnavailable, "25%")
		rolling.MaxSurge = or(rolling.MaxSurge, "25%")
		if rolling.UnavailablePeriodSeconds == nil {
			rolling.UnavailablePeriodSeconds = new(int64(60))
		}
		s.RollingUpdate = &rolling
	}
	apply := ApplyStrategy{}
	if s.ApplyStrategy != nil {
		apply = *s.ApplyStrategy
	}
	apply.Type = or(apply.Type, ClientSideApply)
	apply.ComparisonOption = or(apply.ComparisonOption, PartialComparison)
	apply.WhenToApply = or(apply.WhenToApply, ApplyAlways)
	apply.WhenToTakeOver = or(apply.WhenToTakeOver, TakeOverAlways)
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
	deletion.PropagationPolicy = or(deletion.PropagationPolicy, DeleteObjects)
	deletion.Contents = or(deletion.Contents, KeepContents)
	s.DeleteStrategy = &deletion
	return s
}

func defaultedConstraints(in []TopologySpreadConstraint) []TopologySpreadConstraint {
	if in == nil {
		return nil
	}
	out := make([]TopologySpreadConstraint, len(in))
	for i, c := range in {
		if c.MaxSkew == nil {
			c.MaxSkew = new(int32(1))
		}
		c.WhenUnsatisfiable = or(c.WhenUnsatisfiable, DoNotSchedule)
		out[i] = c
	}
	return out
}

func defaultedTolerations(in []Toleration) []Toleration {
	if in == nil {
		return nil
	}
	out := make([]Toleration, len(in))
	for i, t := range in {
		t.Operator = or(t.Operator, TolerationEqual)
		out[i] = t
	}
	return out
}

func or[T ~string](value, fallback T) T {
	if value == "" {
		return fallback
	}
	return value
}
