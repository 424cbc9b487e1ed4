package override

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/identifier"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/labelselector"
)

// Base is the Terraform representation of the attributes that both kinds of overrides have.
type Base struct {
	Name           types.String `tfsdk:"name"`
	Placement      types.Object `tfsdk:"placement"`
	Policy         types.Object `tfsdk:"policy"`
	MissingOn      types.List   `tfsdk:"missing_on"`
	PlannedChanges types.String `tfsdk:"planned_changes"`
}

type clusterModel struct {
	Base
	ClusterResourceSelectors types.List `tfsdk:"cluster_resource_selectors"`
}

type namespacedModel struct {
	Base
	Namespace         types.String `tfsdk:"namespace"`
	ResourceSelectors types.List   `tfsdk:"resource_selectors"`
}

// model is an override of either kind. Namespace is null for an override of cluster-scoped objects.
type model struct {
	Base
	Namespace types.String
	Selectors types.List
}

type placementModel struct {
	Name  string          `tfsdk:"name"`
	Scope *override.Scope `tfsdk:"scope"`
}

type policyModel struct {
	OverrideRules []ruleModel `tfsdk:"override_rules"`
}

type ruleModel struct {
	ClusterSelector    *clusterSelectorModel `tfsdk:"cluster_selector"`
	OverrideType       *override.Type        `tfsdk:"override_type"`
	JSONPatchOverrides []patchModel          `tfsdk:"json_patch_overrides"`
}

type clusterSelectorModel struct {
	ClusterSelectorTerms []termModel `tfsdk:"cluster_selector_terms"`
}

type termModel struct {
	LabelSelector *labelselector.Model `tfsdk:"label_selector"`
}

type patchModel struct {
	Op             override.Operation `tfsdk:"op"`
	Path           string             `tfsdk:"path"`
	Value          *string            `tfsdk:"value"`
	ValueSensitive *string            `tfsdk:"value_sensitive"`
}

func (m model) reference() override.Reference {
	return override.Reference{Namespace: m.Namespace.ValueString(), Name: m.Name.ValueString()}
}

// expand requires that everything is known.
func (m model) expand(ctx context.Context, diags *diag.Diagnostics) engine.Override {
	var reference *override.PlacementReference
	if in := convert.FromObject[placementModel](ctx, m.Placement, diags); in != nil {
		reference = &override.PlacementReference{Name: in.Name, Scope: convert.Value(in.Scope)}
	}
	policy := &override.Policy{OverrideRules: []override.Rule{}}
	if in := convert.FromObject[policyModel](ctx, m.Policy, diags); in != nil {
		policy.OverrideRules = convert.All(in.OverrideRules, ruleModel.expand)
	}
	selectors := convert.FromList[identifier.Selector](ctx, m.Selectors, diags)
	out := engine.Override{Reference: m.reference()}
	if m.Namespace.IsNull() {
		out.Cluster = &override.ClusterSpec{Placement: reference, Policy: policy}
		for _, s := range selectors {
			out.Cluster.ClusterResourceSelectors = append(out.Cluster.ClusterResourceSelectors,
				placement.ResourceSelector{Group: s.Group, Version: s.Version, Kind: s.Kind, Name: s.Name})
		}
		return out
	}
	out.Namespaced = &override.Spec{Placement: reference, Policy: policy}
	for _, s := range selectors {
		out.Namespaced.ResourceSelectors = append(out.Namespaced.ResourceSelectors, override.Selector(s))
	}
	return out
}

func (m model) validateValues(ctx context.Context, diags *diag.Diagnostics) []placement.Problem {
	var out []placement.Problem
	in := convert.FromObject[policyModel](ctx, m.Policy, diags)
	if in == nil {
		return nil
	}
	for i, rule := range in.OverrideRules {
		for j, patch := range rule.JSONPatchOverrides {
			if patch.Value != nil && patch.ValueSensitive != nil {
				at := placement.At("policy").Attribute("override_rules").Index(i).Attribute("json_patch_overrides").Index(j).Attribute("value_sensitive")
				out = append(out, placement.Problem{Path: at, Message: "value is set as well: remove one of them"})
			}
		}
	}
	return out
}

func (m ruleModel) expand() override.Rule {
	out := override.Rule{
		OverrideType:       convert.Value(m.OverrideType),
		JSONPatchOverrides: convert.Each(m.JSONPatchOverrides, patchModel.expand),
	}
	if m.ClusterSelector != nil {
		out.ClusterSelector = &override.ClusterSelector{
			ClusterSelectorTerms: convert.Each(m.ClusterSelector.ClusterSelectorTerms, termModel.expand),
		}
	}
	return out
}

func (m termModel) expand() placement.ClusterSelectorTerm {
	return placement.ClusterSelectorTerm{LabelSelector: m.LabelSelector.Expand()}
}

func (m patchModel) expand() override.Patch {
	out := override.Patch{Operation: m.Op, Path: m.Path}
	switch {
	case m.ValueSensitive != nil:
		out.Value, out.Sensitive = json.RawMessage(*m.ValueSensitive), true
	case m.Value != nil:
		out.Value = json.RawMessage(*m.Value)
	}
	return out
}
