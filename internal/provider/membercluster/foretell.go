package membercluster

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/consequences"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/private"
)

// foretell records the planned member for the placements that are planned after it, and previews what the hub does with existing placements.
func (r *Resource) foretell(ctx context.Context, state tfsdk.State, plan tfsdk.Plan, private private.State, diags *diag.Diagnostics) {
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
	change := engine.World{Members: map[string]engine.Planned[member.Spec]{}}
	if was != nil && !planned.Name.Equal(prior.Name) {
		change.Members[was.Name] = removed(*was)
	}
	switch name := planned.Name.ValueString(); {
	case plan.Raw.IsNull():
	case planned.Name.IsUnknown():
		change.Unnamed = []string{engine.KindMember}
	case !convert.Known(plan.Raw, "annotations", "heartbeat_period_seconds", "identity", "delete_options", "adopt_existing", "timeouts", "agent", "status"):
		change.Members[name] = engine.Planned[member.Spec]{Want: &member.Spec{Name: name}, Partial: true}
	default:
		if was != nil && was.Name != name {
			was = nil
		}
		change.Members[name] = planned.placed(ctx, was, diags)
	}
	r.session.PlanChange(change)
	if !plan.Raw.IsNull() {
		consequences.Change{What: "member " + planned.Name.ValueString(), World: change}.Plan(ctx, r.session, private, diags)
	}
}

// placed returns the planned member with those fields on which placements depend. The other fields may be unknown.
func (m model) placed(ctx context.Context, was *member.Spec, diags *diag.Diagnostics) engine.Planned[member.Spec] {
	placed := model{Name: m.Name, Labels: m.Labels, Taints: m.Taints, AdoptExisting: m.AdoptExisting}
	return engine.Planned[member.Spec]{Want: new(placed.expand(ctx, diags)), Was: was}
}

// removed is what becomes of a member whose resource goes: one that is adopted stays, without what was configured here.
func removed(was member.Spec) engine.Planned[member.Spec] {
	if was.Adopts() {
		return engine.Planned[member.Spec]{Want: &member.Spec{Name: was.Name, AdoptExisting: was.AdoptExisting}, Was: &was}
	}
	return engine.Planned[member.Spec]{Was: &was}
}
