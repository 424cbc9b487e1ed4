// Package crp implements the resource fleet_crp.
package crp

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/identity"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/object"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/placement"
)

// New returns the resource.
func New() resource.Resource { return placement.NewResource(Kind{}) }

// Kind is the kind of placements without a namespace.
type Kind struct{}

type model struct{ placement.Model }

// TypeName returns the name of the resource type without the provider's prefix.
func (Kind) TypeName() string { return "crp" }

// Schema returns the schema of the resource.
func (Kind) Schema(ctx context.Context) schema.Schema {
	return schema.Schema{
		Version: 2,
		MarkdownDescription: "Places objects on clusters of the fleet. The arguments are the fields of KubeFleet's `ClusterResourcePlacement` in " +
			"snake_case, with the same structure and defaults.\n\n" +
			"The plan checks every cluster that the placement is predicted to pick, and warns about pre-existing objects: who owns them, in which " +
			"fields they differ, and how `strategy.apply_strategy.when_to_take_over` treats them. The plan of a removal shows, for each cluster, " +
			"which objects are deleted and which remain.\n\n" +
			"If a placement cannot be completed on some clusters, its creation succeeds with a warning that states the reason. `phase` and " +
			"`problems` show what is missing. The next apply continues. An update returns an error; see `wait.on_failure`.",
		Attributes: placement.Attributes(ctx),
	}
}

// Upgraders returns the upgraders for states of versions 0 and 1. These states can have a status and manifests_masked, which the schema no longer has, and can
// have severities in lower case.
func (k Kind) Upgraders(ctx context.Context) map[int64]resource.StateUpgrader {
	return map[int64]resource.StateUpgrader{0: placement.Upgrader(k.Schema(ctx)), 1: placement.Upgrader(k.Schema(ctx))}
}

// Get reads a placement from a configuration, a plan or a state.
func (Kind) Get(ctx context.Context, from object.Source, diags *diag.Diagnostics) placement.Model {
	var m model
	diags.Append(from.Get(ctx, &m)...)
	return m.Model
}

// Set writes a placement to a state.
func (Kind) Set(ctx context.Context, to object.Target, m placement.Model) diag.Diagnostics {
	return to.Set(ctx, model{m})
}

// Identity returns the format of the identity.
func (Kind) Identity() identity.Format { return identity.Format{What: "placement"} }
