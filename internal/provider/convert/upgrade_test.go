package convert_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
)

// TestWithout checks that the upgrade of a state keeps the configured values, whatever type the removed attribute had.
func TestWithout(t *testing.T) {
	current := schema.Schema{Attributes: map[string]schema.Attribute{
		"name":   schema.StringAttribute{Required: true},
		"added":  schema.StringAttribute{Optional: true},
		"status": schema.MapAttribute{Computed: true, ElementType: types.StringType},
	}}
	upgrade := func(state string) resource.UpgradeStateResponse {
		var response resource.UpgradeStateResponse
		convert.Without("status", current).StateUpgrader(t.Context(), resource.UpgradeStateRequest{
			RawState: &tfprotov6.RawState{JSON: []byte(state)},
		}, &response)
		return response
	}
	response := upgrade(`{"name": "web", "gone": 1, "status": {"conditions": [{"type": "Applied"}]}}`)
	if response.Diagnostics.HasError() {
		t.Fatal(response.Diagnostics)
	}
	shape := current.Type().TerraformType(t.Context())
	got, err := response.DynamicValue.Unmarshal(shape)
	want := tftypes.NewValue(shape, map[string]tftypes.Value{
		"name": tftypes.NewValue(tftypes.String, "web"), "added": tftypes.NewValue(tftypes.String, nil),
		"status": tftypes.NewValue(tftypes.Map{ElementType: tftypes.String}, nil),
	})
	if err != nil || !got.Equal(want) {
		t.Errorf("%s instead of %s, %v", got, want, err)
	}
	if response := upgrade(`{"name": {}}`); !response.Diagnostics.HasError() {
		t.Error("a state that cannot be read is upgraded")
	}
}
