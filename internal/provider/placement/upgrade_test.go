package placement

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// TestUpgrader checks that the upgrade of a state preserves the configured values.
func TestUpgrader(t *testing.T) {
	t.Parallel()
	current := schema.Schema{Attributes: Attributes(t.Context())}
	for state, want := range map[string][2]string{
		`{"name": "web", "on_takeover_conflict": "error", "wait": {"until": "Applied", "on_failure": "warn"}, "status": {"conditions": {}}}`: {"Error", "Warn"},
		`{"name": "web", "on_takeover_conflict": "warn", "wait": {"until": "Applied", "on_failure": null}}`:                                  {"Warn", ""},
		`{"name": "web", "on_takeover_conflict": null, "wait": null, "manifests_masked": {"a": "b"}}`:                                        {"", ""},
	} {
		var response resource.UpgradeStateResponse
		Upgrader(current).StateUpgrader(t.Context(), resource.UpgradeStateRequest{RawState: &tfprotov6.RawState{JSON: []byte(state)}}, &response)
		if response.Diagnostics.HasError() {
			t.Fatal(response.Diagnostics)
		}
		got, err := response.DynamicValue.Unmarshal(current.Type().TerraformType(t.Context()))
		if err != nil {
			t.Fatal(err)
		}
		var attributes, wait map[string]tftypes.Value
		if err := got.As(&attributes); err != nil {
			t.Fatal(err)
		}
		if err := attributes["wait"].As(&wait); err != nil {
			t.Fatal(err)
		}
		for i, value := range []tftypes.Value{attributes["on_takeover_conflict"], wait["on_failure"]} {
			var text *string
			if wait != nil || i == 0 {
				if err := value.As(&text); err != nil {
					t.Fatal(err)
				}
			}
			if (text == nil) != (want[i] == "") || text != nil && *text != want[i] {
				t.Errorf("%s: %s instead of %q", state, value, want[i])
			}
		}
	}
}
