package placement

import (
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
)

// decided tells whether everything is known that a placement is decided by.
func decided(raw tftypes.Value) bool {
	return convert.Known(raw, "expected_preview", "timeouts", "status", "manifests_masked")
}

// Validate checks what needs no cluster, if everything is known.
func (m Model) Validate(ctx context.Context, config tfsdk.Config, diags *diag.Diagnostics) {
	if !decided(config.Raw) {
		return
	}
	spec, manifests := m.Expand(ctx, diags)
	if !diags.HasError() {
		validateSpec(spec, manifests, diags)
	}
}

func validateSpec(spec domain.Spec, manifests map[string]string, diags *diag.Diagnostics) {
	if len(spec.ResourceSelectors) == 0 && len(manifests) == 0 {
		diags.AddAttributeError(path.Root("resource_selectors"), "Nothing to place", "Set resource_selectors to select objects on the hub, or "+
			"manifests to place objects that are given here.")
		return
	}
	for _, key := range slices.Sorted(maps.Keys(manifests)) {
		if _, err := manifest.Parse(key, manifests[key]); err != nil {
			diags.AddAttributeError(path.Root("manifests").AtMapKey(key), "Invalid manifest", err.Error())
		}
	}
	problems := domain.Validate(spec)
	if len(spec.ResourceSelectors) == 0 {
		// All manifests are placed.
		problems = slices.DeleteFunc(problems, func(p domain.Problem) bool { return p.Path.String() == "resource_selectors" })
	}
	convert.Problems(diags, "Invalid placement", problems)
}
