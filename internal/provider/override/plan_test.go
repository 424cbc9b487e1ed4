package override

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// anything is an engine that has nothing against any override.
type anything struct{ engine.Engine }

func (anything) CheckOverride(engine.Override) []engine.Limitation { return nil }

// The placement of an override cannot be changed. Under another name it is another override, which may have another one.
func TestAnotherPlacement(t *testing.T) {
	described := clusterSchema()
	planned := func(name, of string) tfsdk.Plan {
		plan := tfsdk.Plan{Schema: described, Raw: tftypes.NewValue(described.Type().TerraformType(t.Context()), nil)}
		diags := plan.SetAttribute(t.Context(), path.Root("name"), name)
		diags.Append(plan.SetAttribute(t.Context(), path.Root("placement").AtName("name"), of)...)
		if diags.HasError() {
			t.Fatal(diags)
		}
		return plan
	}
	before := planned("a", "web")
	for name, refused := range map[string]bool{"a": true, "b": false} {
		plan := planned(name, "shop")
		response := resource.ModifyPlanResponse{Plan: plan}
		one := &Resource{session: &session.Session{Engine: anything{}, Preview: session.PreviewOff}}
		one.ModifyPlan(t.Context(), resource.ModifyPlanRequest{Plan: plan, State: tfsdk.State{Schema: described, Raw: before.Raw}}, &response)
		if response.Diagnostics.HasError() != refused {
			t.Errorf("%s: %v", name, response.Diagnostics)
		}
	}
}
