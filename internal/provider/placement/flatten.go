package placement

import (
	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/labelselector"
)

func flattenSelector(s domain.ResourceSelector) selectorModel {
	return selectorModel{
		Group: s.Group, Version: s.Version, Kind: s.Kind, Name: convert.Optional(s.Name), LabelSelector: labelselector.Flatten(s.LabelSelector),
		SelectionScope: convert.Optional(s.SelectionScope),
	}
}

func flattenPolicy(p *domain.Policy) *policyModel {
	if p == nil {
		return nil
	}
	return &policyModel{
		PlacementType: convert.Optional(p.PlacementType), ClusterNames: p.ClusterNames, NumberOfClusters: p.NumberOfClusters,
		Affinity: flattenAffinity(p.Affinity),
		TopologySpreadConstraints: convert.Each(p.TopologySpreadConstraints, func(c domain.TopologySpreadConstraint) spreadModel {
			return spreadModel{MaxSkew: c.MaxSkew, TopologyKey: c.TopologyKey, WhenUnsatisfiable: convert.Optional(c.WhenUnsatisfiable)}
		}),
		Tolerations: convert.Each(convert.Distinct(p.Tolerations), func(t domain.Toleration) tolerationModel {
			return tolerationModel{
				Key: convert.Optional(t.Key), Operator: convert.Optional(t.Operator), Value: convert.Optional(t.Value), Effect: convert.Optional(t.Effect),
			}
		}),
	}
}

func flattenAffinity(a *domain.Affinity) *affinityModel {
	if a == nil {
		return nil
	}
	out := &affinityModel{}
	if c := a.ClusterAffinity; c != nil {
		out.ClusterAffinity = &clusterAffinityModel{
			Preferred: convert.Each(c.Preferred, func(p domain.PreferredClusterSelector) preferredModel {
				return preferredModel{Weight: p.Weight, Preference: flattenTerm(p.Preference)}
			}),
		}
		if c.Required != nil {
			out.ClusterAffinity.Required = &clusterSelectorModel{ClusterSelectorTerms: convert.Each(c.Required.ClusterSelectorTerms, flattenTerm)}
		}
	}
	return out
}

func flattenTerm(t domain.ClusterSelectorTerm) termModel {
	out := termModel{LabelSelector: labelselector.Flatten(t.LabelSelector)}
	if p := t.PropertySelector; p != nil {
		out.PropertySelector = &PropertySelector{
			MatchExpressions: convert.Each(p.MatchExpressions, func(e domain.PropertyExpression) propertyExpressionModel {
				return propertyExpressionModel(e)
			}),
		}
	}
	if s := t.PropertySorter; s != nil {
		out.PropertySorter = &propertySorterModel{Name: s.Name, SortOrder: s.SortOrder}
	}
	return out
}

func flattenStrategy(s *domain.Strategy) *strategyModel {
	if s == nil {
		return nil
	}
	out := &strategyModel{Type: convert.Optional(s.Type)}
	if r := s.RollingUpdate; r != nil {
		out.RollingUpdate = &rollingUpdateModel{
			MaxUnavailable: convert.Optional(r.MaxUnavailable), MaxSurge: convert.Optional(r.MaxSurge),
			UnavailablePeriodSeconds: r.UnavailablePeriodSeconds,
		}
	}
	if a := s.ApplyStrategy; a != nil {
		out.ApplyStrategy = &applyStrategyModel{
			Type: convert.Optional(a.Type), ComparisonOption: convert.Optional(string(a.ComparisonOption)),
			WhenToApply: convert.Optional(a.WhenToApply), WhenToTakeOver: convert.Optional(a.WhenToTakeOver), AllowCoOwnership: a.AllowCoOwnership,
		}
		if c := a.ServerSideApplyConfig; c != nil {
			out.ApplyStrategy.ServerSideApplyConfig = &serverSideModel{Force: c.Force}
		}
	}
	if d := s.DeleteStrategy; d != nil {
		out.DeleteStrategy = &deleteModel{PropagationPolicy: convert.Optional(d.PropagationPolicy), Contents: convert.Optional(d.Contents)}
	}
	if r := s.ReportBackStrategy; r != nil {
		out.ReportBackStrategy = &reportBackModel{Type: convert.Optional(r.Type), Destination: convert.Optional(r.Destination)}
	}
	return out
}
