package placement

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/selection"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/yamltext"
)

// Choice selects objects of a hub, and says where and how they are placed. Its arguments are framework values, because any of them can be unknown.
// [Arguments.Expand] converts known values.
type Choice struct {
	Name              types.String `tfsdk:"name"`
	ResourceSelectors types.List   `tfsdk:"resource_selectors"`
	Policy            types.Object `tfsdk:"policy"`
	Strategy          types.Object `tfsdk:"strategy"`
}

// Arguments say what is placed, where and how. The data source that previews a placement has the same arguments.
type Arguments struct {
	Choice
	Manifests    types.Map  `tfsdk:"manifests"`
	IgnoreFields types.List `tfsdk:"ignore_fields"`
}

// ArgumentAttributes returns the schema of Arguments.
func ArgumentAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"name": nameAttribute(), "resource_selectors": selectorsAttribute(), "manifests": manifestsAttribute(),
		"ignore_fields": ignoreFieldsAttribute(),
		"policy":        policyAttribute(), "strategy": strategyAttribute(),
	}
}

// Validate validates the arguments without a cluster, if the whole configuration is known. inNamespace reports whether the placement is in a namespace, where
// other rules apply to selectors.
func (a Arguments) Validate(ctx context.Context, config tfsdk.Config, inNamespace bool, diags *diag.Diagnostics) {
	if !convert.Known(config.Raw) {
		return
	}
	a.validateIgnoreFields(ctx, diags)
	spec, _ := a.Expand(ctx, diags)
	if !diags.HasError() {
		validateSpec(spec, inNamespace, []selection.Given{givenManifests("manifests", a.Manifests)}, diags)
	}
}

// Expand converts the arguments to values of the domain. It returns the spec and the manifests. Everything must be known.
func (a Arguments) Expand(ctx context.Context, diags *diag.Diagnostics) (domain.Spec, map[string]string) {
	spec := domain.Spec{ResourceSelectors: convert.Each(convert.FromList[selectorModel](ctx, a.ResourceSelectors, diags), selectorModel.expand)}
	if policy := convert.FromObject[policyModel](ctx, a.Policy, diags); policy != nil {
		spec.Policy = policy.expand()
	}
	if strategy := convert.FromObject[strategyModel](ctx, a.Strategy, diags); strategy != nil {
		spec.Strategy = strategy.expand()
	}
	return spec.WithoutUnusedParts(), yamltext.Texts(a.Manifests)
}

// set sets the arguments that a record has: resource_selectors, manifests, policy and strategy.
func (a *Arguments) set(ctx context.Context, spec domain.Spec, manifests map[string]string, diags *diag.Diagnostics) {
	if len(manifests) == 0 {
		manifests = nil
	}
	a.ResourceSelectors = convert.List(ctx, selectorsAttribute(), convert.Each(spec.ResourceSelectors, flattenSelector), diags)
	a.Manifests = convert.Map(ctx, manifestsAttribute(), manifests, diags)
	a.Policy = convert.Object(ctx, policyAttribute(), flattenPolicy(spec.Policy), diags)
	a.Strategy = convert.Object(ctx, strategyAttribute(), flattenStrategy(spec.Strategy), diags)
}
