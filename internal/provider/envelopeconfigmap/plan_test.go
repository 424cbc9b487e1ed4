package envelopeconfigmap

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// What is in an envelope is planned also where a label of it is not known yet.
func TestPlanWithUnknownLabel(t *testing.T) {
	described := resourceSchema()
	plan := tfsdk.Plan{Schema: described, Raw: tftypes.NewValue(described.Type().TerraformType(t.Context()), nil)}
	diags := plan.SetAttribute(t.Context(), path.Root("namespace"), "app")
	diags.Append(plan.SetAttribute(t.Context(), path.Root("manifests"), oneObject)...)
	diags.Append(plan.SetAttribute(t.Context(), path.Root("labels").AtMapKey("a"), types.StringUnknown())...)
	if diags.HasError() {
		t.Fatal(diags)
	}
	response := resource.ModifyPlanResponse{Plan: plan}
	(&Resource{}).ModifyPlan(t.Context(), resource.ModifyPlanRequest{Plan: plan}, &response)
	var objects types.List
	response.Diagnostics.Append(response.Plan.GetAttribute(t.Context(), path.Root("objects"), &objects)...)
	if response.Diagnostics.HasError() || len(objects.Elements()) != 1 {
		t.Errorf("%s %v", objects, response.Diagnostics)
	}
}
