package placement

import (
	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
)

func (m selectorModel) expand() domain.ResourceSelector {
	return domain.ResourceSelector{
		Group: m.Group, Version: m.Version, Kind: m.Kind, Name: convert.Value(m.Name), LabelSelector: m.LabelSelector.Expand(),
		SelectionScope: convert.Value(m.SelectionScope),
	}
}

func (m policyModel) expand() *domain.Policy {
	return &domain.Policy{
		PlacementType: convert.Value(m.PlacementType), ClusterNames: m.ClusterNames,
		NumberOfClusters: m.NumberOfClusters, Affinity: m.Affinity.expand(),
		TopologySpreadConstraints: convert.Each(m.TopologySpreadConstraints, func(c spreadModel) domain.TopologySpreadConstraint {
			return domain.TopologySpreadConstraint{
				MaxSkew: c.MaxSkew, TopologyKey: c.TopologyKey, WhenUnsatisfiable: convert.Value(c.WhenUnsatisfiable),
			}
		}),
		Tolerations: convert.Each(m.Tolerations, func(t tolerationModel) domain.Toleration {
			return domain.Toleration{
				Key: convert.Value(t.Key), Operator: convert.Value(t.Operator), Value: convert.Value(t.Value), Effect: convert.Value(t.Effect),
			}
		}),
	}
}

func (m *affinityModel) expand() *domain.Affinity {
	if m == nil {
		return nil
	}
	out := &domain.Affinity{}
	if c := m.ClusterAffinity; c != nil {
		out.ClusterAffinity = &domain.ClusterAffinity{
			Preferred: convert.Each(c.Preferred, func(p preferredModel) domain.PreferredClusterSelector {
				return domain.PreferredClusterSelector{Weight: p.Weight, Preference: p.Preference.expand()}
			}),
		}
		if c.Required != nil {
			out.ClusterAffinity.Required = &domain.ClusterSelector{
				ClusterSelectorTerms: convert.Each(c.Required.ClusterSelectorTerms, termModel.expand),
			}
		}
	}
	return out
}

func (m termModel) expand() domain.ClusterSelectorTerm {
	out := domain.ClusterSelectorTerm{LabelSelector: m.LabelSelector.Expand(), PropertySelector: m.PropertySelector.Expand()}
	if s := m.PropertySorter; s != nil {
		out.PropertySorter = &domain.PropertySorter{Name: s.Name, SortOrder: s.SortOrder}
	}
	return out
}

// Expand converts the model to the value of the domain. It returns nil for nil.
func (m *PropertySelector) Expand() *domain.PropertySelector {
	if m == nil {
		return nil
	}
	return &domain.PropertySelector{
		MatchExpressions: convert.Each(m.MatchExpressions, func(e propertyExpressionModel) domain.PropertyExpression {
			return domain.PropertyExpression(e)
		}),
	}
}

func (m strategyModel) expand() *domain.Strategy {
	out := &domain.Strategy{Type: convert.Value(m.Type)}
	if r := m.RollingUpdate; r != nil {
		out.RollingUpdate = &domain.RollingUpdate{
			MaxUnavailable: convert.Value(r.MaxUnavailable), MaxSurge: convert.Value(r.MaxSurge),
			UnavailablePeriodSeconds: r.UnavailablePeriodSeconds,
		}
	}
	if a := m.ApplyStrategy; a != nil {
		comparison, _ := domain.ParseComparisonOption(convert.Value(a.ComparisonOption))
		out.ApplyStrategy = &domain.ApplyStrategy{
			Type: convert.Value(a.Type), ComparisonOption: comparison, WhenToApply: convert.Value(a.WhenToApply),
			WhenToTakeOver: convert.Value(a.WhenToTakeOver), AllowCoOwnership: a.AllowCoOwnership,
		}
		if s := a.ServerSideApplyConfig; s != nil {
			out.ApplyStrategy.ServerSideApplyConfig = &domain.ServerSideApplyConfig{Force: s.Force}
		}
	}
	if d := m.DeleteStrategy; d != nil {
		out.DeleteStrategy = &domain.DeleteStrategy{PropagationPolicy: convert.Value(d.PropagationPolicy), Contents: convert.Value(d.Contents)}
	}
	if r := m.ReportBackStrategy; r != nil {
		out.ReportBackStrategy = &domain.ReportBackStrategy{Type: convert.Value(r.Type), Destination: convert.Value(r.Destination)}
	}
	return out
}
