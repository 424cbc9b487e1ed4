package override

import (
	"encoding/json"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/object"
)

// TestUpgrade checks that values are not sensitive after an upgrade from version 0, except values that can apply to Secrets.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	const policy = `{"override_rules": [{"cluster_selector": null, "override_type": "Delete", "json_patch_overrides": null}, {"cluster_selector":
		{"cluster_selector_terms": []}, "override_type": null, "json_patch_overrides": [{"op": "add", "path": "/data/a", "value": "\"<a>\""},
		{"op": "remove", "path": "/data/b", "value": null}, {"op": "add", "path": "/metadata/labels/a", "value": "\"b\""}]}]}`
	for name, c := range map[string]struct {
		namespaced bool
		selectors  string
		sensitive  []override.Position
	}{
		"a ConfigMap":    {true, `"namespace": "app", "resource_selectors": [{"group": "", "version": "v1", "kind": "ConfigMap", "name": "a"}]`, nil},
		"a Secret":       {true, `"namespace": "app", "resource_selectors": [{"group": "", "version": "v1", "kind": "Secret", "name": "a"}]`, []override.Position{{Rule: 1}}},
		"a Namespace":    {false, `"cluster_resource_selectors": [{"group": "", "version": "v1", "kind": "Namespace", "name": "a"}]`, []override.Position{{Rule: 1}}},
		"a ClusterRole":  {false, `"cluster_resource_selectors": [{"group": "rbac", "version": "v1", "kind": "ClusterRole", "name": "a"}]`, nil},
		"another Secret": {true, `"namespace": "app", "resource_selectors": [{"group": "acme", "version": "v1", "kind": "Secret", "name": "a"}]`, nil},
		"nothing known":  {true, `"namespace": null, "resource_selectors": null`, nil},
	} {
		n := noun{namespaced: c.namespaced}
		r := object.New(n)
		state := []byte(`{"name": "o", "placement": {"name": "web", "scope": null}, "missing_on": [], "policy": ` + policy + `, ` + c.selectors + `}`)
		if !json.Valid(state) {
			t.Fatal(name)
		}
		var response resource.UpgradeStateResponse
		r.UpgradeState(t.Context())[0].StateUpgrader(t.Context(), resource.UpgradeStateRequest{RawState: &tfprotov6.RawState{JSON: state}}, &response)
		var described resource.SchemaResponse
		r.Schema(t.Context(), resource.SchemaRequest{}, &described)
		if response.Diagnostics.HasError() || described.Schema.Version != 1 {
			t.Fatalf("%s: %v", name, response.Diagnostics)
		}
		raw, err := response.DynamicValue.Unmarshal(described.Schema.Type().TerraformType(t.Context()))
		if err != nil {
			t.Fatal(name, err)
		}
		var diags diag.Diagnostics
		m := n.Get(t.Context(), tfsdk.State{Schema: described.Schema, Raw: raw}, &diags)
		o := m.expand(t.Context(), &diags)
		if diags.HasError() {
			t.Fatal(name, diags)
		}
		rules := policyOf(o).OverrideRules
		if len(rules) != 2 || string(rules[1].JSONPatchOverrides[0].Value) != `"<a>"` || string(rules[1].JSONPatchOverrides[2].Value) != `"b"` {
			t.Errorf("%s: the values are lost: %+v", name, rules)
		}
		got, _ := json.Marshal(policyOf(o).Sensitive())
		if want, _ := json.Marshal(c.sensitive); string(got) != string(want) {
			t.Errorf("%s: %s are sensitive instead of %s", name, got, want)
		}
	}
}
