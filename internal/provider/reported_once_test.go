package provider

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/membercluster"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/override"
)

// validateConfig returns the diagnostics of a configuration, each as severity, summary and detail.
func validateConfig(t *testing.T, typeName string, config tftypes.Value) []string {
	t.Helper()
	response, err := newServer(t, idleEngine{}).ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{
		TypeName: typeName, Config: encode(t, config),
	})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, d := range response.Diagnostics {
		out = append(out, d.Severity.String()+" "+d.Summary+": "+d.Detail)
	}
	return out
}

// TestOverrideValueIsReportedOnce checks that an override whose value is not JSON causes exactly one error.
func TestOverrideValueIsReportedOnce(t *testing.T) {
	var described resource.SchemaResponse
	override.NewCluster().Schema(t.Context(), resource.SchemaRequest{}, &described)
	const rules = ".policy.override_rules"
	config := completeRaw(t, described.Schema)
	for at, value := range map[string]any{
		".missing_on": nil, ".placement.scope": nil, rules + ".override_type": nil, rules + ".json_patch_overrides.op": "replace",
		rules + ".json_patch_overrides.path": "/a", rules + ".json_patch_overrides.value": "{",
	} {
		config = withValue(t, config, at, value)
	}
	var found []string
	for _, text := range validateConfig(t, "fleet_cluster_resource_override", config) {
		if strings.Contains(text, "JSON") {
			found = append(found, text)
		}
	}
	if len(found) != 1 || !strings.Contains(found[0], "jsonencode") {
		t.Errorf("%d texts: %q", len(found), found)
	}
}

// TestEmptyObjects checks that an empty object, or one with only nulls, as modules pass them, counts as omitted.
func TestEmptyObjects(t *testing.T) {
	var described resource.SchemaResponse
	membercluster.New().Schema(t.Context(), resource.SchemaRequest{}, &described)
	config := withValue(t, completeRaw(t, described.Schema), ".status", nil)
	for _, at := range []string{".adopt_existing", ".delete_options.validation_mode", ".delete_options.on_unreachable"} {
		config = withValue(t, config, at, nil)
	}
	for _, text := range validateConfig(t, "fleet_member_cluster", config) {
		if strings.Contains(text, "delete_options") {
			t.Error(text)
		}
	}
}
