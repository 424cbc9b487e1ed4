package override

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/identifier"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/labelselector"
)

func (m *model) set(ctx context.Context, o engine.Override, diags *diag.Diagnostics) {
	var reference *override.PlacementReference
	var policy *override.Policy
	var selectors []identifier.Selector
	if o.Cluster != nil {
		reference, policy = o.Cluster.Placement, o.Cluster.Policy
		selectors = convert.All(o.Cluster.ClusterResourceSelectors, func(s placement.ResourceSelector) identifier.Selector {
			return identifier.Selector{Group: s.Group, Version: s.Version, Kind: s.Kind, Name: s.Name}
		})
	}
	if o.Namespaced != nil {
		reference, policy = o.Namespaced.Placement, o.Namespaced.Policy
		selectors = convert.All(o.Namespaced.ResourceSelectors, func(s override.Selector) identifier.Selector { return identifier.Selector(s) })
	}
	var target *placementModel
	if reference != nil {
		target = &placementModel{Name: reference.Name, Scope: convert.Optional(reference.Scope)}
	}
	flat := &policyModel{OverrideRules: []ruleModel{}}
	if policy != nil {
		flat.OverrideRules = convert.All(policy.OverrideRules, flattenRule)
	}
	m.Selectors = convert.List(ctx, selectorsAttribute(""), selectors, diags)
	m.Placement = convert.Object(ctx, placementAttribute(), target, diags)
	m.Policy = convert.Object(ctx, policyAttribute(), flat, diags)
}

func flattenRule(rule override.Rule) ruleModel {
	out := ruleModel{
		OverrideType:       convert.Optional(rule.OverrideType),
		JSONPatchOverrides: convert.Each(rule.JSONPatchOverrides, flattenPatch),
	}
	if rule.ClusterSelector != nil {
		out.ClusterSelector = &clusterSelectorModel{ClusterSelectorTerms: convert.All(rule.ClusterSelector.ClusterSelectorTerms, flattenTerm)}
	}
	return out
}

// flattenTerm returns an empty selector for a term without a selector, because the argument is required.
func flattenTerm(term placement.ClusterSelectorTerm) termModel {
	if term.LabelSelector == nil {
		return termModel{LabelSelector: &labelselector.Model{}}
	}
	return termModel{LabelSelector: labelselector.Flatten(term.LabelSelector)}
}

func flattenPatch(p override.Patch) patchModel {
	out := patchModel{Op: p.Operation, Path: p.Path}
	switch {
	case len(p.Value) == 0:
	case p.Sensitive:
		out.ValueSensitive = new(string(p.Value))
	default:
		out.Value = new(string(p.Value))
	}
	return out
}

func (m *model) setMissing(ctx context.Context, missing []string, diags *diag.Diagnostics) {
	m.MissingOn = convert.List(ctx, missingAttribute(), append([]string{}, missing...), diags)
}
