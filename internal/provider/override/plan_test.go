package override

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/object"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// permissiveEngine is an engine that accepts every override.
type permissiveEngine struct{ engine.Engine }

func (permissiveEngine) CheckOverride(engine.Override) []engine.Limitation { return nil }

// TestAnotherPlacement checks that the placement of an override cannot change. With another name, the override is a new one and can have another
// placement.
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
		r := object.New(noun{})
		shared := &session.Session{Engine: permissiveEngine{}, Preview: session.PreviewOff}
		r.Configure(t.Context(), resource.ConfigureRequest{ProviderData: shared}, &resource.ConfigureResponse{})
		r.ModifyPlan(t.Context(), resource.ModifyPlanRequest{Plan: plan, State: tfsdk.State{Schema: described, Raw: before.Raw}}, &response)
		if response.Diagnostics.HasError() != refused {
			t.Errorf("%s: %v", name, response.Diagnostics)
		}
	}
}
