package convert

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// defaultedSpec returns the spec as a hub stores it: with defaults, and with one notation for counts.
func defaultedSpec(s placement.Spec) placement.Spec {
	s = s.Defaulted()
	if r := s.Strategy.RollingUpdate; r != nil {
		s.Strategy.RollingUpdate = &placement.RollingUpdate{
			MaxUnavailable: toCount(fromCount(r.MaxUnavailable)), MaxSurge: toCount(fromCount(r.MaxSurge)),
			UnavailablePeriodSeconds: r.UnavailablePeriodSeconds,
		}
	}
	s.Strategy.DeleteStrategy = maybe(s.Strategy.DeleteStrategy, func(d placement.DeleteStrategy) placement.DeleteStrategy {
		d.PropagationPolicy = filled(d.PropagationPolicy, placement.DeleteObjects)
		return d
	})
	if r := s.Strategy.ReportBackStrategy; r != nil {
		s.Strategy.ReportBackStrategy = &placement.ReportBackStrategy{
			Type: filled(r.Type, placement.ReportBackDisabled), Destination: r.Destination,
		}
	}
	return s
}

// minimalSpec removes those defaults that a hub fills into elements of lists, and into fields that depend on the value of another field.
func minimalSpec(s placement.Spec) placement.Spec {
	s = minimalElements(s)
	s.Strategy = maybe(s.Strategy, func(strategy placement.Strategy) placement.Strategy {
		strategy.ApplyStrategy = maybe(strategy.ApplyStrategy, func(a placement.ApplyStrategy) placement.ApplyStrategy {
			if c := a.ServerSideApplyConfig; c != nil && (c.Force == nil || !*c.Force) {
				a.ServerSideApplyConfig = nil
			}
			return a
		})
		return strategy
	})
	return s
}

// minimalElements removes the defaults that a hub fills into elements of lists.
func minimalElements(s placement.Spec) placement.Spec {
	s.ResourceSelectors = each(s.ResourceSelectors, minimalSelector)
	s.Policy = maybe(s.Policy, func(p placement.Policy) placement.Policy {
		p.TopologySpreadConstraints = each(p.TopologySpreadConstraints, func(c placement.TopologySpreadConstraint) placement.TopologySpreadConstraint {
			c.WhenUnsatisfiable = without(c.WhenUnsatisfiable, placement.DoNotSchedule)
			if c.MaxSkew != nil && *c.MaxSkew == 1 {
				c.MaxSkew = nil
			}
			return c
		})
		p.Tolerations = each(p.Tolerations, func(t placement.Toleration) placement.Toleration {
			t.Operator = without(t.Operator, placement.TolerationEqual)
			return t
		})
		return p
	})
	return s
}

func defaultedClusterOverride(s override.ClusterSpec) override.ClusterSpec {
	return override.ClusterSpec{
		Placement: maybe(s.Placement, defaultedReference), Policy: defaultedRules(s.Policy),
		ClusterResourceSelectors: each(s.ClusterResourceSelectors, func(s placement.ResourceSelector) placement.ResourceSelector {
			s.SelectionScope = filled(s.SelectionScope, placement.NamespaceWithResources)
			return s
		}),
	}
}

func minimalClusterOverride(s override.ClusterSpec) override.ClusterSpec {
	return override.ClusterSpec{
		Placement: maybe(s.Placement, minimalReference), Policy: minimalRules(s.Policy),
		ClusterResourceSelectors: each(s.ClusterResourceSelectors, minimalSelector),
	}
}

func defaultedOverride(s override.Spec) override.Spec {
	return override.Spec{
		Placement: maybe(s.Placement, defaultedReference), Policy: defaultedRules(s.Policy), ResourceSelectors: s.ResourceSelectors,
	}
}

func minimalOverride(s override.Spec) override.Spec {
	return override.Spec{
		Placement: maybe(s.Placement, minimalReference), Policy: minimalRules(s.Policy), ResourceSelectors: s.ResourceSelectors,
	}
}

func defaultedReference(r override.PlacementReference) override.PlacementReference {
	r.Scope = filled(r.Scope, override.ClusterScope)
	return r
}

func minimalReference(r override.PlacementReference) override.PlacementReference {
	r.Scope = without(r.Scope, override.ClusterScope)
	return r
}

func defaultedRules(p *override.Policy) *override.Policy {
	if p == nil {
		p = &override.Policy{}
	}
	return &override.Policy{OverrideRules: each(p.OverrideRules, func(r override.Rule) override.Rule {
		r.OverrideType = filled(r.OverrideType, override.JSONPatch)
		return r
	})}
}

func minimalRules(p *override.Policy) *override.Policy {
	return maybe(p, func(p override.Policy) override.Policy {
		return override.Policy{OverrideRules: each(p.OverrideRules, func(r override.Rule) override.Rule {
			r.OverrideType = without(r.OverrideType, override.JSONPatch)
			return r
		})}
	})
}

func minimalSelector(s placement.ResourceSelector) placement.ResourceSelector {
	s.SelectionScope = without(s.SelectionScope, placement.NamespaceWithResources)
	return s
}

const heartbeatPeriodSeconds = 60

func defaultedMember(s member.Spec) member.Spec {
	if s.HeartbeatPeriodSeconds == nil {
		s.HeartbeatPeriodSeconds = new(int32(heartbeatPeriodSeconds))
	}
	options := member.DeleteOptions{}
	if s.DeleteOptions != nil {
		options = *s.DeleteOptions
	}
	options.ValidationMode = filled(options.ValidationMode, member.StrictValidation)
	s.DeleteOptions = &options
	return s
}

func filled[T ~string](value, fallback T) T {
	if value == "" {
		return fallback
	}
	return value
}

func without[T ~string](value, fallback T) T {
	if value == fallback {
		return ""
	}
	return value
}
