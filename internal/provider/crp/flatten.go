package crp

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/yamltext"
)

// setSpec puts a recorded spec and its manifests into the model.
func (m *model) setSpec(ctx context.Context, spec placement.Spec, manifests map[string]string, diags *diag.Diagnostics) {
	var d diag.Diagnostics
	selectors, _ := attributeType(ctx, "resource_selectors").(types.ListType)
	m.ResourceSelectors = types.ListNull(selectors.ElemType)
	if spec.ResourceSelectors != nil {
		m.ResourceSelectors, d = types.ListValueFrom(ctx, selectors.ElemType, each(spec.ResourceSelectors, flattenSelector))
		diags.Append(d...)
	}
	m.Manifests = types.MapNull(yamltext.Type{})
	if len(manifests) > 0 {
		m.Manifests, d = types.MapValueFrom(ctx, yamltext.Type{}, manifests)
		diags.Append(d...)
	}
	m.Policy = types.ObjectNull(attributeTypes(ctx, "policy"))
	if spec.Policy != nil {
		m.Policy, d = types.ObjectValueFrom(ctx, attributeTypes(ctx, "policy"), flattenPolicy(*spec.Policy))
		diags.Append(d...)
	}
	m.Strategy = types.ObjectNull(attributeTypes(ctx, "strategy"))
	if spec.Strategy != nil {
		m.Strategy, d = types.ObjectValueFrom(ctx, attributeTypes(ctx, "strategy"), flattenStrategy(*spec.Strategy))
		diags.Append(d...)
	}
	m.RevisionHistoryLimit = types.Int32PointerValue(spec.RevisionHistoryLimit)
	m.StatusReportingScope = types.StringPointerValue(maybe(spec.StatusReportingScope))
}

func attributeTypes(ctx context.Context, attribute string) map[string]attr.Type {
	object, _ := attributeType(ctx, attribute).(types.ObjectType)
	return object.AttrTypes
}

func flattenSelector(s placement.ResourceSelector) selectorModel {
	return selectorModel{
		Group: s.Group, Version: s.Version, Kind: s.Kind, Name: maybe(s.Name), LabelSelector: flattenLabelSelector(s.LabelSelector),
		SelectionScope: maybe(s.SelectionScope),
	}
}

func flattenLabelSelector(s *metav1.LabelSelector) *labelSelectorModel {
	if s == nil {
		return nil
	}
	return &labelSelectorModel{
		MatchLabels: s.MatchLabels,
		MatchExpressions: each(s.MatchExpressions, func(e metav1.LabelSelectorRequirement) expressionModel {
			return expressionModel{Key: e.Key, Operator: string(e.Operator), Values: e.Values}
		}),
	}
}

func flattenPolicy(p placement.Policy) policyModel {
	out := policyModel{
		PlacementType: maybe(p.PlacementType), ClusterNames: p.ClusterNames, NumberOfClusters: p.NumberOfClusters,
		TopologySpreadConstraints: each(p.TopologySpreadConstraints, func(c placement.TopologySpreadConstraint) spreadModel {
			return spreadModel{MaxSkew: c.MaxSkew, TopologyKey: c.TopologyKey, WhenUnsatisfiable: maybe(c.WhenUnsatisfiable)}
		}),
		Tolerations: each(p.Tolerations, func(t placement.Toleration) tolerationModel {
			return tolerationModel{Key: maybe(t.Key), Operator: maybe(t.Operator), Value: maybe(t.Value), Effect: maybe(t.Effect)}
		}),
	}
	if p.Affinity != nil {
		out.Affinity = &affinityModel{}
		if c := p.Affinity.ClusterAffinity; c != nil {
			out.Affinity.ClusterAffinity = &clusterAffinityModel{
				Preferred: each(c.Preferred, func(p placement.PreferredClusterSelector) preferredModel {
					return preferredModel{Weight: p.Weight, Preference: flattenTerm(p.Preference)}
				}),
			}
			if c.Required != nil {
				out.Affinity.ClusterAffinity.Required = &clusterSelectorModel{ClusterSelectorTerms: each(c.Required.ClusterSelectorTerms, flattenTerm)}
			}
		}
	}
	return out
}

func flattenTerm(t placement.ClusterSelectorTerm) termModel {
	out := termModel{LabelSelector: flattenLabelSelector(t.LabelSelector)}
	if p := t.PropertySelector; p != nil {
		out.PropertySelector = &propertySelectorModel{
			MatchExpressions: each(p.MatchExpressions, func(e placement.PropertyExpression) propertyExpressionModel {
				return propertyExpressionModel(e)
			}),
		}
	}
	if s := t.PropertySorter; s != nil {
		out.PropertySorter = &propertySorterModel{Name: s.Name, SortOrder: s.SortOrder}
	}
	return out
}

func flattenStrategy(s placement.Strategy) strategyModel {
	out := strategyModel{Type: maybe(s.Type)}
	if r := s.RollingUpdate; r != nil {
		out.RollingUpdate = &rollingUpdateModel{
			MaxUnavailable: maybe(r.MaxUnavailable), MaxSurge: maybe(r.MaxSurge), UnavailablePeriodSeconds: r.UnavailablePeriodSeconds,
		}
	}
	if a := s.ApplyStrategy; a != nil {
		out.ApplyStrategy = &applyStrategyModel{
			Type: maybe(a.Type), ComparisonOption: maybe(a.ComparisonOption), WhenToApply: maybe(a.WhenToApply),
			WhenToTakeOver: maybe(a.WhenToTakeOver), AllowCoOwnership: a.AllowCoOwnership,
		}
		if c := a.ServerSideApplyConfig; c != nil {
			out.ApplyStrategy.ServerSideApplyConfig = &serverSideModel{Force: c.Force}
		}
	}
	if d := s.DeleteStrategy; d != nil {
		out.DeleteStrategy = &deleteModel{PropagationPolicy: maybe(d.PropagationPolicy)}
	}
	if r := s.ReportBackStrategy; r != nil {
		out.ReportBackStrategy = &reportBackModel{Type: maybe(r.Type), Destination: maybe(r.Destination)}
	}
	return out
}

// maybe is nil for what was left out.
func maybe[T ~string](value T) *string {
	if value == "" {
		return nil
	}
	return new(string(value))
}
