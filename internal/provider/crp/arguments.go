package crp

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Arguments are those that say what is placed, where and how; the preview of a placement takes them as well.
type Arguments struct {
	Name              types.String `tfsdk:"name"`
	ResourceSelectors types.List   `tfsdk:"resource_selectors"`
	Manifests         types.Map    `tfsdk:"manifests"`
	Policy            types.Object `tfsdk:"policy"`
	Strategy          types.Object `tfsdk:"strategy"`
}

// ArgumentsSchema describes the Arguments.
func ArgumentsSchema(ctx context.Context) map[string]schema.Attribute {
	out := map[string]schema.Attribute{}
	attributes := resourceSchema(ctx).Attributes
	for _, name := range []string{"name", "resource_selectors", "manifests", "policy", "strategy"} {
		out[name] = attributes[name]
	}
	return out
}

// model is the resource with these arguments and without any other.
func (a Arguments) model() model {
	return model{Name: a.Name, ResourceSelectors: a.ResourceSelectors, Manifests: a.Manifests, Policy: a.Policy, Strategy: a.Strategy}
}

// Validate checks what needs no cluster, as far as everything is known.
func (a Arguments) Validate(ctx context.Context, diags *diag.Diagnostics) {
	if data := a.model(); data.known(ctx) {
		validateConfig(ctx, data, diags)
	}
}

// Expand turns the arguments into the domain's values. Everything must be known.
func (a Arguments) Expand(ctx context.Context, diags *diag.Diagnostics) (placement.Spec, map[string]string) {
	return a.model().expand(ctx, diags)
}
