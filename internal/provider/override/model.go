package override

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Base is what both kinds have.
type Base struct {
	Name      types.String `tfsdk:"name"`
	Placement types.Object `tfsdk:"placement"`
	Policy    types.Object `tfsdk:"policy"`
	MissingOn types.List   `tfsdk:"missing_on"`
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

// model is either of them; Namespace is null for an override of cluster-scoped objects.
type model struct {
	Base
	Namespace types.String
	Selectors types.List
}

type placementModel struct {
	Name  string  `tfsdk:"name"`
	Scope *string `tfsdk:"scope"`
}

type selectorModel struct {
	Group   string `tfsdk:"group"`
	Version string `tfsdk:"version"`
	Kind    string `tfsdk:"kind"`
	Name    string `tfsdk:"name"`
}

type policyModel struct {
	OverrideRules []ruleModel `tfsdk:"override_rules"`
}

type ruleModel struct {
	ClusterSelector    *clusterSelectorModel `tfsdk:"cluster_selector"`
	OverrideType       *string               `tfsdk:"override_type"`
	JSONPatchOverrides []patchModel          `tfsdk:"json_patch_overrides"`
}

type clusterSelectorModel struct {
	ClusterSelectorTerms []termModel `tfsdk:"cluster_selector_terms"`
}

type termModel struct {
	LabelSelector labelSelectorModel `tfsdk:"label_selector"`
}

type labelSelectorModel struct {
	MatchLabels      map[string]string `tfsdk:"match_labels"`
	MatchExpressions []expressionModel `tfsdk:"match_expressions"`
}

type expressionModel struct {
	Key      string   `tfsdk:"key"`
	Operator string   `tfsdk:"operator"`
	Values   []string `tfsdk:"values"`
}

type patchModel struct {
	Op    string  `tfsdk:"op"`
	Path  string  `tfsdk:"path"`
	Value *string `tfsdk:"value"`
}

func isJSON(text string) []string {
	if json.Valid([]byte(text)) {
		return nil
	}
	return []string{"write it with jsonencode(...)"}
}

// known tells whether every part is.
func (m model) known(ctx context.Context) bool {
	for _, value := range []attr.Value{m.Name, m.Namespace, m.Placement, m.Policy, m.Selectors} {
		if raw, err := value.ToTerraformValue(ctx); err != nil || !raw.IsFullyKnown() {
			return false
		}
	}
	return true
}

func (m model) reference() override.Reference {
	return override.Reference{Namespace: m.Namespace.ValueString(), Name: m.Name.ValueString()}
}

// expand turns the model into the domain's value.
func (m model) expand(ctx context.Context, diags *diag.Diagnostics) engine.Override {
	var reference *override.PlacementReference
	if !m.Placement.IsNull() {
		var in placementModel
		diags.Append(m.Placement.As(ctx, &in, basetypes.ObjectAsOptions{})...)
		reference = &override.PlacementReference{Name: in.Name, Scope: override.Scope(text(in.Scope))}
	}
	var rules policyModel
	diags.Append(m.Policy.As(ctx, &rules, basetypes.ObjectAsOptions{})...)
	policy := &override.Policy{OverrideRules: []override.Rule{}}
	for _, rule := range rules.OverrideRules {
		policy.OverrideRules = append(policy.OverrideRules, rule.expand())
	}
	var selectors []selectorModel
	diags.Append(m.Selectors.ElementsAs(ctx, &selectors, false)...)
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

func (m ruleModel) expand() override.Rule {
	out := override.Rule{OverrideType: override.Type(text(m.OverrideType))}
	if m.ClusterSelector != nil {
		out.ClusterSelector = &override.ClusterSelector{}
		for _, term := range m.ClusterSelector.ClusterSelectorTerms {
			selector := &metav1.LabelSelector{MatchLabels: term.LabelSelector.MatchLabels}
			for _, e := range term.LabelSelector.MatchExpressions {
				selector.MatchExpressions = append(selector.MatchExpressions, metav1.LabelSelectorRequirement{
					Key: e.Key, Operator: metav1.LabelSelectorOperator(e.Operator), Values: e.Values,
				})
			}
			out.ClusterSelector.ClusterSelectorTerms = append(out.ClusterSelector.ClusterSelectorTerms,
				placement.ClusterSelectorTerm{LabelSelector: selector})
		}
	}
	for _, p := range m.JSONPatchOverrides {
		patch := override.Patch{Operation: override.Operation(p.Op), Path: p.Path}
		if p.Value != nil {
			patch.Value = json.RawMessage(*p.Value)
		}
		out.JSONPatchOverrides = append(out.JSONPatchOverrides, patch)
	}
	return out
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
