package envelopeconfigmap

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/object"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// newResource returns the resource of a provider with this session.
func newResource(shared *session.Session) *object.Resource[model] {
	r := object.New(noun{})
	r.Configure(context.Background(), resource.ConfigureRequest{ProviderData: shared}, &resource.ConfigureResponse{})
	return r
}

// TestPlanWithUnknownLabel checks that a plan knows the objects of an envelope with an unknown label.
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
	object.New(noun{}).ModifyPlan(t.Context(), resource.ModifyPlanRequest{Plan: plan}, &response)
	var objects types.List
	response.Diagnostics.Append(response.Plan.GetAttribute(t.Context(), path.Root("objects"), &objects)...)
	if response.Diagnostics.HasError() || len(objects.Elements()) != 1 {
		t.Errorf("%s %v", objects, response.Diagnostics)
	}
}

// unreachableEngine is an engine whose hub does not respond. It knows the selectors of every wire format but Auto.
type unreachableEngine struct{ engine.Engine }

func (unreachableEngine) CheckEnvelope(envelope.Spec) []engine.Limitation { return nil }

func (unreachableEngine) EnvelopeSelectors(_ context.Context, spec envelope.Spec) ([]placement.ResourceSelector, bool, error) {
	return nil, spec.WireFormat != "", &engine.UnreachableError{Cluster: "hub", Err: errors.New("cluster \"hub\": connection refused")}
}

// TestPlanOnUnreachableHub checks that an unreachable hub is an error with its cause if the selectors depend on the hub, both in a plan and in an apply: a plan
// without the selectors would contradict the plan of the apply.
func TestPlanOnUnreachableHub(t *testing.T) {
	described := resourceSchema()
	none := tftypes.NewValue(described.Type().TerraformType(t.Context()), nil)
	for _, applying := range []bool{false, true} {
		for format, fails := range map[string]bool{"": true, "ResourceEnvelope": false} {
			plan := tfsdk.Plan{Schema: described, Raw: none}
			diags := plan.SetAttribute(t.Context(), path.Root("namespace"), "app")
			diags.Append(plan.SetAttribute(t.Context(), path.Root("name"), "quota")...)
			diags.Append(plan.SetAttribute(t.Context(), path.Root("manifests"), oneObject)...)
			if format != "" {
				diags.Append(plan.SetAttribute(t.Context(), path.Root("wire_format"), format)...)
			}
			if diags.HasError() {
				t.Fatal(diags)
			}
			response := resource.ModifyPlanResponse{Plan: plan}
			r := newResource(&session.Session{Engine: unreachableEngine{}, Applying: applying, Preview: session.PreviewOff})
			r.ModifyPlan(t.Context(), resource.ModifyPlanRequest{Plan: plan, State: tfsdk.State{Schema: described, Raw: none}}, &response)
			failed := response.Diagnostics.Errors()
			if fails != (len(failed) == 1 && strings.Contains(failed[0].Detail(), `cluster "hub": connection refused`)) || !fails && len(failed) > 0 {
				t.Errorf("applying: %v, format %q: %v", applying, format, response.Diagnostics)
			}
		}
	}
}

// splitEngine is an engine that stores objects without a namespace in an object with the envelope's name.
type splitEngine struct{ engine.Engine }

func (splitEngine) CheckEnvelope(envelope.Spec) []engine.Limitation { return nil }

func (splitEngine) EnvelopeSelectors(_ context.Context, spec envelope.Spec) ([]placement.ResourceSelector, bool, error) {
	return []placement.ResourceSelector{{Version: "v1beta1", Kind: "ClusterResourceEnvelope", Name: spec.Name}}, true, nil
}

// TestPlanWithUnknownName checks that the selectors are unknown while the name or the wire format is unknown. The objects are known.
func TestPlanWithUnknownName(t *testing.T) {
	described := resourceSchema()
	none := tftypes.NewValue(described.Type().TerraformType(t.Context()), nil)
	for attribute, known := range map[string]bool{"name": false, "wire_format": false, "labels": true} {
		plan := tfsdk.Plan{Schema: described, Raw: none}
		diags := plan.SetAttribute(t.Context(), path.Root("namespace"), "app")
		diags.Append(plan.SetAttribute(t.Context(), path.Root("name"), "quota")...)
		diags.Append(plan.SetAttribute(t.Context(), path.Root("manifests"), oneObject)...)
		for _, computed := range []string{"objects", "resource_selectors"} {
			unknown := types.ListUnknown(described.Attributes[computed].GetType().(types.ListType).ElemType)
			diags.Append(plan.SetAttribute(t.Context(), path.Root(computed), unknown)...)
		}
		if attribute == "labels" {
			diags.Append(plan.SetAttribute(t.Context(), path.Root("labels"), types.MapUnknown(types.StringType))...)
		} else {
			diags.Append(plan.SetAttribute(t.Context(), path.Root(attribute), types.StringUnknown())...)
		}
		response := resource.ModifyPlanResponse{Plan: plan}
		r := newResource(&session.Session{Engine: splitEngine{}, Preview: session.PreviewOff})
		r.ModifyPlan(t.Context(), resource.ModifyPlanRequest{Plan: plan, State: tfsdk.State{Schema: described, Raw: none}}, &response)
		var planned model
		diags.Append(response.Diagnostics...)
		diags.Append(response.Plan.Get(t.Context(), &planned)...)
		if diags.HasError() || planned.Objects.IsUnknown() || planned.ResourceSelectors.IsUnknown() == known {
			t.Errorf("%s is unknown: objects %s, selectors %s, %v", attribute, planned.Objects, planned.ResourceSelectors, diags)
		}
	}
}

// TestPlanOfUID checks that the UID is kept if no other attribute changes, and is unknown otherwise.
func TestPlanOfUID(t *testing.T) {
	described := resourceSchema()
	none := tftypes.NewValue(described.Type().TerraformType(t.Context()), nil)
	state := tfsdk.State{Schema: described, Raw: none}
	var diags diag.Diagnostics
	diags.Append(state.SetAttribute(t.Context(), path.Root("namespace"), "app")...)
	diags.Append(state.SetAttribute(t.Context(), path.Root("name"), "quota")...)
	diags.Append(state.SetAttribute(t.Context(), path.Root("uid"), "u")...)
	for changed, want := range map[string]types.String{"uid": types.StringValue("u"), "wire_format": types.StringUnknown()} {
		plan := tfsdk.Plan{Schema: described, Raw: state.Raw}
		diags.Append(plan.SetAttribute(t.Context(), path.Root(changed), types.StringUnknown())...)
		response := resource.ModifyPlanResponse{Plan: plan}
		object.New(noun{}).ModifyPlan(t.Context(), resource.ModifyPlanRequest{Plan: plan, State: state}, &response)
		var uid types.String
		diags.Append(response.Plan.GetAttribute(t.Context(), path.Root("uid"), &uid)...)
		if diags.HasError() || !uid.Equal(want) {
			t.Errorf("%s is not known: uid %s, %v", changed, uid, diags)
		}
	}
}
