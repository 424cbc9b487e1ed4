package membercluster

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
)

// foretell tells the session what becomes of the member, for the placements that are planned after it.
func (r *Resource) foretell(ctx context.Context, state tfsdk.State, plan tfsdk.Plan, diags *diag.Diagnostics) {
	if r.session == nil || plan.Raw.Equal(state.Raw) {
		return
	}
	var prior, planned model
	if !state.Raw.IsNull() {
		diags.Append(state.Get(ctx, &prior)...)
	}
	if !plan.Raw.IsNull() {
		diags.Append(plan.Get(ctx, &planned)...)
	}
	if diags.HasError() {
		return
	}
	var was *member.Spec
	if !state.Raw.IsNull() {
		was = new(prior.expand(ctx, diags))
	}
	if was != nil && !planned.Name.Equal(prior.Name) {
		r.session.PlanMember(was.Name, removed(*was))
	}
	switch name := planned.Name.ValueString(); {
	case plan.Raw.IsNull():
	case planned.Name.IsUnknown():
		r.session.PlanUnnamed(engine.KindMember)
	case !convert.Known(plan.Raw, "annotations", "heartbeat_period_seconds", "identity", "delete_options", "adopt_existing", "timeouts", "agent", "status"):
		r.session.PlanMember(name, engine.Planned[member.Spec]{Want: &member.Spec{Name: name}, Partial: true})
	default:
		// Nothing else of a member decides about placements, and the rest need not be known.
		placed := model{Name: planned.Name, Labels: planned.Labels, Taints: planned.Taints, AdoptExisting: planned.AdoptExisting}
		if was != nil && was.Name != name {
			was = nil
		}
		r.session.PlanMember(name, engine.Planned[member.Spec]{Want: new(placed.expand(ctx, diags)), Was: was})
	}
}

// removed is what becomes of a member whose resource goes: one that is adopted stays, without what was configured here.
func removed(was member.Spec) engine.Planned[member.Spec] {
	if was.Adopts() {
		return engine.Planned[member.Spec]{Want: &member.Spec{Name: was.Name, AdoptExisting: was.AdoptExisting}, Was: &was}
	}
	return engine.Planned[member.Spec]{Was: &was}
}
