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

// recordPlan records the planned member for the placements that are planned after it, and previews what the hub does with existing placements.
func (r *Resource) recordPlan(ctx context.Context, state tfsdk.State, plan tfsdk.Plan, private private.State, diags *diag.Diagnostics) {
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
	name := planned.Name.ValueString()
	change := consequences.Change{What: "member " + name}
	var was, replaced *member.Spec
	var before *string // the name in the state
	if !state.Raw.IsNull() {
		was = new(prior.expand(ctx, diags))
		before, replaced = &was.Name, was
	} else if !plan.Raw.IsNull() {
		replaced = &member.Spec{Name: name, AdoptExisting: planned.AdoptExisting.ValueBoolPointer()}
	}
	if plan.Raw.IsNull() {
		change.What = "member " + was.Name
	}
	if before != nil || !planned.Name.IsUnknown() { // a new member with an unknown name replaces no known one
		without := func(string) engine.World { return worldWithout(*replaced) }
		change.Removal = consequences.RemovalOf(r.session, change.What, before, name, r.session.ManagesMember(name), without)
	} else {
		change.What = "a member whose name is not known"
	}
	members := map[string]engine.Planned[member.Spec]{}
	switch {
	case plan.Raw.IsNull():
	case planned.Name.IsUnknown():
		change.World.Unnamed = []string{engine.KindMember}
	case !convert.Known(plan.Raw, "annotations", "heartbeat_period_seconds", "identity", "delete_options", "adopt_existing", "timeouts", "agent", "status"):
		members[name] = engine.Planned[member.Spec]{Want: &member.Spec{Name: name}, Partial: true}
	default:
		if was != nil && was.Name != name {
			was = nil
		}
		members[name] = planned.expandPlanned(ctx, was, diags)
	}
	change.World.Members = members
	r.session.PlanChange(change.Removal.With(change.World))
	change.Plan(ctx, r.session, private, diags)
}

// expandPlanned returns the planned member with the fields that placements depend on. The other fields may be unknown.
func (m model) expandPlanned(ctx context.Context, was *member.Spec, diags *diag.Diagnostics) engine.Planned[member.Spec] {
	planned := model{Name: m.Name, Labels: m.Labels, Taints: m.Taints, AdoptExisting: m.AdoptExisting}
	return engine.Planned[member.Spec]{Want: new(planned.expand(ctx, diags)), Was: was}
}

// worldWithout returns the change that removes the resource of a member. An adopted member remains, without the configuration of this resource.
func worldWithout(was member.Spec) engine.World {
	out := engine.Planned[member.Spec]{Was: &was}
	if was.Adopts() {
		out.Want = &member.Spec{Name: was.Name, AdoptExisting: was.AdoptExisting}
	}
	return engine.World{Members: map[string]engine.Planned[member.Spec]{was.Name: out}}
}
