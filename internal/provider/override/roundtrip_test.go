package override

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/arbitrary"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/identifier"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/labelselector"
)

const rounds = 300

// TestSpecRoundTrip checks that a recorded override survives the conversion to Terraform and back, as far as it can be configured.
func TestSpecRoundTrip(t *testing.T) {
	g := arbitrary.New(t)
	for i := range rounds {
		var m model
		var recorded engine.Override
		if recorded.Name = "o"; i%2 == 0 {
			m.Name, m.Namespace = types.StringValue("o"), types.StringNull()
			recorded.Cluster = new(arbitrary.Value[override.ClusterSpec](g))
			recorded.Cluster.Policy = stripUnconfigurable(recorded.Cluster.Policy)
			for i, s := range recorded.Cluster.ClusterResourceSelectors {
				recorded.Cluster.ClusterResourceSelectors[i] = placement.ResourceSelector{Group: s.Group, Version: s.Version, Kind: s.Kind, Name: s.Name}
			}
		} else {
			m.Name, m.Namespace = types.StringValue("o"), types.StringValue("ns")
			recorded.Namespace = "ns"
			recorded.Namespaced = new(arbitrary.Value[override.Spec](g))
			recorded.Namespaced.Policy = stripUnconfigurable(recorded.Namespaced.Policy)
		}
		var diags diag.Diagnostics
		m.set(t.Context(), recorded, &diags)
		back := m.expand(t.Context(), &diags)
		if diff := cmp.Diff(recorded, back, cmpopts.EquateEmpty()); diff != "" || diags.HasError() {
			t.Fatalf("%v\n%s", diags, diff)
		}
	}
}

// stripUnconfigurable returns a policy that a configuration can contain: the policy and its label selectors are present, clusters are selected only by labels,
// and only operations with a value are sensitive.
func stripUnconfigurable(policy *override.Policy) *override.Policy {
	if policy == nil {
		return &override.Policy{}
	}
	for _, rule := range policy.OverrideRules {
		for i, patch := range rule.JSONPatchOverrides {
			rule.JSONPatchOverrides[i].Sensitive = patch.Sensitive && len(patch.Value) > 0
		}
		if rule.ClusterSelector == nil {
			continue
		}
		for i, term := range rule.ClusterSelector.ClusterSelectorTerms {
			rule.ClusterSelector.ClusterSelectorTerms[i] = placement.ClusterSelectorTerm{LabelSelector: term.LabelSelector}
			if term.LabelSelector == nil {
				rule.ClusterSelector.ClusterSelectorTerms[i].LabelSelector = (&labelselector.Model{}).Expand()
			}
		}
	}
	return policy
}

// TestConfigurationRoundTrip checks that a configuration survives the conversion to the domain and back.
func TestConfigurationRoundTrip(t *testing.T) {
	g := arbitrary.New(t)
	for i := range rounds {
		var diags diag.Diagnostics
		policy := arbitrary.Value[policyModel](g)
		policy.OverrideRules = convert.All(policy.OverrideRules, fillRequired)
		m := model{Base: Base{
			Name:      types.StringValue("o"),
			Placement: convert.Object(t.Context(), placementAttribute(), arbitrary.Value[*placementModel](g), &diags),
			Policy:    convert.Object(t.Context(), policyAttribute(), &policy, &diags),
		}}
		m.Selectors = convert.List(t.Context(), selectorsAttribute(""), append([]identifier.Selector{}, arbitrary.Value[[]identifier.Selector](g)...), &diags)
		if i%2 == 0 {
			m.Namespace = types.StringValue("ns")
		}
		var back model
		back.set(t.Context(), m.expand(t.Context(), &diags), &diags)
		same := back.Selectors.Equal(m.Selectors) && back.Placement.Equal(m.Placement) && back.Policy.Equal(m.Policy)
		if !same || diags.HasError() {
			t.Fatalf("%v\n%s\n%s\n%s\n%s", diags, m.Policy, back.Policy, m.Selectors, back.Selectors)
		}
	}
	if unseen := g.Unseen(); len(unseen) > 0 {
		t.Errorf("these values were never tried: %v", unseen)
	}
}

// fillRequired sets the required arguments, and removes one of two arguments that exclude each other.
func fillRequired(rule ruleModel) ruleModel {
	for i, patch := range rule.JSONPatchOverrides {
		if patch.ValueSensitive != nil {
			rule.JSONPatchOverrides[i].Value = nil
		}
	}
	if rule.ClusterSelector != nil {
		rule.ClusterSelector.ClusterSelectorTerms = convert.All(rule.ClusterSelector.ClusterSelectorTerms, func(term termModel) termModel {
			if term.LabelSelector == nil {
				term.LabelSelector = &labelselector.Model{}
			}
			return term
		})
	}
	return rule
}
