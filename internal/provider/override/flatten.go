package override

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
)

// set puts a recorded override into the model.
func (m *model) set(ctx context.Context, o engine.Override, diags *diag.Diagnostics) {
	var reference *override.PlacementReference
	var policy *override.Policy
	selectors := []selectorModel{}
	if o.Cluster != nil {
		reference, policy = o.Cluster.Placement, o.Cluster.Policy
		for _, s := range o.Cluster.ClusterResourceSelectors {
			selectors = append(selectors, selectorModel{Group: s.Group, Version: s.Version, Kind: s.Kind, Name: s.Name})
		}
	}
	if o.Namespaced != nil {
		reference, policy = o.Namespaced.Placement, o.Namespaced.Policy
		for _, s := range o.Namespaced.ResourceSelectors {
			selectors = append(selectors, selectorModel(s))
		}
	}
	var d diag.Diagnostics
	list, _ := clusterSchema().Attributes["cluster_resource_selectors"].GetType().(types.ListType)
	m.Selectors, d = types.ListValueFrom(ctx, list.ElemType, selectors)
	diags.Append(d...)
	m.Placement = types.ObjectNull(attributeTypes("placement"))
	if reference != nil {
		m.Placement, d = types.ObjectValueFrom(ctx, attributeTypes("placement"), placementModel{Name: reference.Name, Scope: maybe(reference.Scope)})
		diags.Append(d...)
	}
	flat := policyModel{OverrideRules: []ruleModel{}}
	if policy != nil {
		for _, rule := range policy.OverrideRules {
			flat.OverrideRules = append(flat.OverrideRules, flattenRule(rule))
		}
	}
	m.Policy, d = types.ObjectValueFrom(ctx, attributeTypes("policy"), flat)
	diags.Append(d...)
}

func flattenRule(rule override.Rule) ruleModel {
	out := ruleModel{OverrideType: maybe(rule.OverrideType)}
	if rule.ClusterSelector != nil {
		out.ClusterSelector = &clusterSelectorModel{ClusterSelectorTerms: []termModel{}}
		for _, term := range rule.ClusterSelector.ClusterSelectorTerms {
			var selector labelSelectorModel
			if term.LabelSelector != nil {
				selector.MatchLabels = term.LabelSelector.MatchLabels
				for _, e := range term.LabelSelector.MatchExpressions {
					selector.MatchExpressions = append(selector.MatchExpressions, expressionModel{
						Key: e.Key, Operator: string(e.Operator), Values: e.Values,
					})
				}
			}
			out.ClusterSelector.ClusterSelectorTerms = append(out.ClusterSelector.ClusterSelectorTerms, termModel{LabelSelector: selector})
		}
	}
	for _, p := range rule.JSONPatchOverrides {
		flat := patchModel{Op: string(p.Operation), Path: p.Path}
		if len(p.Value) > 0 {
			flat.Value = new(string(p.Value))
		}
		out.JSONPatchOverrides = append(out.JSONPatchOverrides, flat)
	}
	return out
}

func attributeTypes(attribute string) map[string]attr.Type {
	object, _ := clusterSchema().Attributes[attribute].GetType().(types.ObjectType)
	return object.AttrTypes
}

func maybe[T ~string](value T) *string {
	if value == "" {
		return nil
	}
	return new(string(value))
}

func (m *model) setMissing(ctx context.Context, missing []string, diags *diag.Diagnostics) {
	if missing == nil {
		missing = []string{}
	}
	var d diag.Diagnostics
	m.MissingOn, d = types.ListValueFrom(ctx, types.StringType, missing)
	diags.Append(d...)
}
