package override

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

// foretell tells the session what becomes of the override, for the placements that are planned after it.
func (r *Resource) foretell(ctx context.Context, state tfsdk.State, plan tfsdk.Plan, diags *diag.Diagnostics) {
	if r.session == nil {
		return
	}
	var prior, planned model
	if !state.Raw.IsNull() {
		prior = r.get(ctx, state, diags)
		r.session.ManageOverride(prior.reference())
	}
	if plan.Raw.Equal(state.Raw) {
		return
	}
	if !plan.Raw.IsNull() {
		planned = r.get(ctx, plan, diags)
	}
	if diags.HasError() {
		return
	}
	before, after := prior.reference(), planned.reference()
	if !state.Raw.IsNull() && before != after {
		r.session.PlanOverride(before, engine.Planned[engine.Override]{})
	}
	switch {
	case plan.Raw.IsNull():
	case planned.Name.IsUnknown() || planned.Namespace.IsUnknown():
		r.session.PlanUnnamed(engine.KindOverride)
	case !known(plan.Raw):
		r.session.PlanOverride(after, engine.Planned[engine.Override]{Want: &engine.Override{Reference: after}, Partial: true})
	default:
		r.session.PlanOverride(after, engine.Planned[engine.Override]{Want: new(planned.expand(ctx, diags))})
	}
}
