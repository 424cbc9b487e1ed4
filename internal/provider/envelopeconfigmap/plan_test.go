package envelopeconfigmap

import (
	"context"
	"errors"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
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

// silent is an engine whose hub does not answer.
type silent struct{ engine.Engine }

func (silent) CheckEnvelope(envelope.Spec) []engine.Limitation { return nil }

func (silent) EnvelopeSelectors(context.Context, envelope.Spec) ([]placement.ResourceSelector, bool, error) {
	return nil, false, &engine.UnreachableError{Cluster: "hub", Err: errors.New("the hub does not answer")}
}

// A plan does without a hub that does not answer. While it is carried out that is an error: what the plan knew must not become unknown.
func TestPlanOnASilentHub(t *testing.T) {
	described := resourceSchema()
	none := tftypes.NewValue(described.Type().TerraformType(t.Context()), nil)
	plan := tfsdk.Plan{Schema: described, Raw: none}
	diags := plan.SetAttribute(t.Context(), path.Root("namespace"), "app")
	diags.Append(plan.SetAttribute(t.Context(), path.Root("name"), "quota")...)
	diags.Append(plan.SetAttribute(t.Context(), path.Root("manifests"), oneObject)...)
	if diags.HasError() {
		t.Fatal(diags)
	}
	for _, applies := range []bool{false, true} {
		response := resource.ModifyPlanResponse{Plan: plan}
		one := &Resource{session: &session.Session{Engine: silent{}, Applying: applies}}
		one.ModifyPlan(t.Context(), resource.ModifyPlanRequest{Plan: plan, State: tfsdk.State{Schema: described, Raw: none}}, &response)
		if response.Diagnostics.HasError() != applies {
			t.Errorf("applies: %v: %v", applies, response.Diagnostics)
		}
	}
}
