package convert

import (
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// FromPlacementSpec encodes the spec of a placement of either scope. It omits the fields that only this provider has, such as
// strategy.delete_strategy.contents.
func FromPlacementSpec(s placement.Spec) v1beta1.PlacementSpec {
	return v1beta1.PlacementSpec{
		ResourceSelectors:    all(s.ResourceSelectors, fromResourceSelector),
		Policy:               maybe(s.Policy, fromPolicy),
		Strategy:             maybe(s.Strategy, fromStrategy),
		RevisionHistoryLimit: s.RevisionHistoryLimit,
		StatusReportingScope: string(s.StatusReportingScope),
	}
}

// ToPlacementSpec decodes the spec of a placement of either scope.
func ToPlacementSpec(s v1beta1.PlacementSpec) placement.Spec {
	return placement.Spec{
		ResourceSelectors:    each(s.ResourceSelectors, toResourceSelector),
		Policy:               maybe(s.Policy, toPolicy),
		Strategy:             maybe(s.Strategy, toStrategy),
		RevisionHistoryLimit: s.RevisionHistoryLimit,
		StatusReportingScope: placement.ReportingScope(s.StatusReportingScope),
	}
}

func fromResourceSelector(s placement.ResourceSelector) v1beta1.ResourceSelector {
	return v1beta1.ResourceSelector{
		Group: s.Group, Version: s.Version, Kind: s.Kind, Name: s.Name, LabelSelector: s.LabelSelector.DeepCopy(),
		SelectionScope: string(s.SelectionScope),
	}
}

func toResourceSelector(s v1beta1.ResourceSelector) placement.ResourceSelector {
	return placement.ResourceSelector{
		Group: s.Group, Version: s.Version, Kind: s.Kind, Name: s.Name, LabelSelector: s.LabelSelector.DeepCopy(),
		SelectionScope: placement.SelectionScope(s.SelectionScope),
	}
}

func fromStrategy(s placement.Strategy) v1beta1.RolloutStrategy {
	return v1beta1.RolloutStrategy{
		Type: string(s.Type),
		RollingUpdate: maybe(s.RollingUpdate, func(r placement.RollingUpdate) v1beta1.RollingUpdateConfig {
			return v1beta1.RollingUpdateConfig{
				MaxUnavailable: fromCount(r.MaxUnavailable), MaxSurge: fromCount(r.MaxSurge),
				UnavailablePeriodSeconds: maybe(r.UnavailablePeriodSeconds, func(n int64) int { return int(n) }),
			}
		}),
		ApplyStrategy: maybe(s.ApplyStrategy, fromApplyStrategy),
		DeleteStrategy: maybe(s.DeleteStrategy, func(d placement.DeleteStrategy) v1beta1.DeleteStrategy {
			return v1beta1.DeleteStrategy{PropagationPolicy: string(d.PropagationPolicy)}
		}),
		ReportBackStrategy: maybe(s.ReportBackStrategy, func(r placement.ReportBackStrategy) v1beta1.ReportBackStrategy {
			return v1beta1.ReportBackStrategy{Type: string(r.Type), Destination: string(r.Destination)}
		}),
	}
}

func toStrategy(s v1beta1.RolloutStrategy) placement.Strategy {
	return placement.Strategy{
		Type: placement.StrategyType(s.Type),
		RollingUpdate: maybe(s.RollingUpdate, func(r v1beta1.RollingUpdateConfig) placement.RollingUpdate {
			return placement.RollingUpdate{
				MaxUnavailable: toCount(r.MaxUnavailable), MaxSurge: toCount(r.MaxSurge),
				UnavailablePeriodSeconds: maybe(r.UnavailablePeriodSeconds, func(n int) int64 { return int64(n) }),
			}
		}),
		ApplyStrategy: maybe(s.ApplyStrategy, ToApplyStrategy),
		DeleteStrategy: maybe(s.DeleteStrategy, func(d v1beta1.DeleteStrategy) placement.DeleteStrategy {
			return placement.DeleteStrategy{PropagationPolicy: placement.DeletePropagation(d.PropagationPolicy)}
		}),
		ReportBackStrategy: maybe(s.ReportBackStrategy, func(r v1beta1.ReportBackStrategy) placement.ReportBackStrategy {
			return placement.ReportBackStrategy{
				Type: placement.ReportBackType(r.Type), Destination: placement.ReportBackDestination(r.Destination),
			}
		}),
	}
}

func fromApplyStrategy(a placement.ApplyStrategy) v1beta1.ApplyStrategy {
	return v1beta1.ApplyStrategy{
		Type: string(a.Type), ComparisonOption: string(a.ComparisonOption), WhenToApply: string(a.WhenToApply),
		WhenToTakeOver: string(a.WhenToTakeOver), AllowCoOwnership: a.AllowCoOwnership,
		ServerSideApplyConfig: maybe(a.ServerSideApplyConfig, func(c placement.ServerSideApplyConfig) v1beta1.ServerSideApplyConfig {
			return v1beta1.ServerSideApplyConfig(c)
		}),
	}
}

// ToApplyStrategy decodes an apply strategy.
func ToApplyStrategy(a v1beta1.ApplyStrategy) placement.ApplyStrategy {
	return placement.ApplyStrategy{
		Type: placement.ApplyType(a.Type), ComparisonOption: placement.ComparisonOption(a.ComparisonOption),
		WhenToApply: placement.WhenToApply(a.WhenToApply), WhenToTakeOver: placement.WhenToTakeOver(a.WhenToTakeOver),
		AllowCoOwnership: a.AllowCoOwnership,
		ServerSideApplyConfig: maybe(a.ServerSideApplyConfig, func(c v1beta1.ServerSideApplyConfig) placement.ServerSideApplyConfig {
			return placement.ServerSideApplyConfig(c)
		}),
	}
}

// fromCount encodes a whole number as an integer, and a percentage as a string. It returns nil for "". The schema also allows a whole number as a string, but a
// hub cannot read it.
func fromCount(text string) *intstr.IntOrString {
	if text == "" {
		return nil
	}
	return new(intstr.Parse(text))
}

func toCount(count *intstr.IntOrString) string {
	if count == nil {
		return ""
	}
	return count.String()
}
