package placement

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/yamltext"
)

// planMasked plans what a plan shows of the manifests. It follows from the configuration and the state alone, so it may be known.
func (m Model) planMasked(ctx context.Context, prior *Model, response *resource.ModifyPlanResponse) {
	if m.ManifestsMasked.IsUnknown() {
		response.Diagnostics.Append(response.Plan.SetAttribute(ctx, path.Root("manifests_masked"), m.masked(prior))...)
	}
}

// masked is what is shown of the manifests; prior is nil if there were none before.
func (m Model) masked(prior *Model) types.Map {
	if prior == nil {
		return yamltext.Masked(m.Manifests, types.Map{}, types.Map{})
	}
	return yamltext.Masked(m.Manifests, prior.Manifests, prior.ManifestsMasked)
}
