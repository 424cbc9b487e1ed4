package placement

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/selection"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/yamltext"
)

// isDecidable reports whether all values on which a preview of the placement depends are known.
func isDecidable(raw tftypes.Value) bool {
	return convert.Known(raw, append(derivedAttributes, "expected_preview", "timeouts")...)
}

// Validate validates what can be validated without a cluster. If a value on which a preview depends is unknown, it validates only the known names in
// takes_over_from and takes_over_from_removed.
func (m Model) Validate(ctx context.Context, config tfsdk.Config, diags *diag.Diagnostics) {
	m.ValidateGivers(m.Namespace, m.Name, diags)
	if !isDecidable(config.Raw) {
		return
	}
	readExpectedPreview(ctx, config, diags)
	m.arguments().validateIgnoreFields(ctx, diags)
	spec, _ := m.Expand(ctx, diags)
	if !diags.HasError() {
		validateSpec(spec, m.isNamespaced(), []selection.Given{givenManifests("manifests", m.Manifests), givenManifests("manifests_wo", m.ManifestsWO)}, diags)
	}
}

func givenManifests(attribute string, in types.Map) selection.Given {
	texts := yamltext.Texts(in)
	return selection.Given{Attribute: attribute, Texts: texts, Null: len(in.Elements()) - len(texts)}
}

func addNothingToPlace(inNamespace bool, manifests []selection.Given, diags *diag.Diagnostics) {
	const summary = "Nothing to place"
	for _, given := range manifests {
		if given.Null > 0 {
			diags.AddAttributeError(path.Root(given.Attribute), summary, "Every value of "+given.Attribute+" is null, so all keys are omitted. "+
				"Set one of them, or set resource_selectors to select objects on the hub.")
			return
		}
	}
	advice := "Set resource_selectors to select objects on the hub, or manifests to place objects from this configuration."
	if inNamespace {
		advice = "Set resource_selectors to select objects on the hub."
	}
	diags.AddAttributeError(path.Root("resource_selectors"), summary, advice)
}

func validateSpec(spec domain.Spec, inNamespace bool, manifests []selection.Given, diags *diag.Diagnostics) {
	if len(spec.ResourceSelectors) == 0 && !slices.ContainsFunc(manifests, func(g selection.Given) bool { return len(g.Texts) > 0 }) {
		addNothingToPlace(inNamespace, manifests, diags)
		return
	}
	convert.Problems(diags, "Invalid manifest", selection.ValidateManifests(manifests...))
	problems := domain.Validate(spec)
	if len(spec.ResourceSelectors) == 0 {
		// Without selectors, all manifests are placed.
		problems = slices.DeleteFunc(problems, func(p domain.Problem) bool { return p.Path.String() == "resource_selectors" })
	}
	validateSelectors := selection.ValidateSelectors
	if inNamespace {
		validateSelectors = selection.ValidateSelectorsIn
	}
	problems = append(problems, validateSelectors(domain.At("resource_selectors"), spec.ResourceSelectors)...)
	convert.Problems(diags, "Invalid placement", append(problems, domain.ValidateUse(spec)...))
}
