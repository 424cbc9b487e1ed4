package placement

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/yamltext"
)

// planDigests plans the digests, which depend only on the configuration and the state.
func (m Model) planDigests(ctx context.Context, prior *Model, response *resource.ModifyPlanResponse) {
	if m.ManifestDigests.IsUnknown() {
		response.Diagnostics.Append(response.Plan.SetAttribute(ctx, path.Root("manifest_digests"), m.digests(prior))...)
	}
}

func (m Model) digests(prior *Model) types.Map {
	if prior == nil {
		return yamltext.Digests(m.Manifests, types.Map{}, types.Map{})
	}
	return yamltext.Digests(m.Manifests, prior.Manifests, prior.ManifestDigests)
}
