package override

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/consequences"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/planonly"
)

// recordPlan records the planned override for the placements that are planned after it, and previews what the hub does with existing placements.
func (r *Resource) recordPlan(ctx context.Context, state tfsdk.State, response *resource.ModifyPlanResponse) {
	plan, diags := response.Plan, &response.Diagnostics
	if r.session == nil {
		return
	}
	var planned model
	var before *override.Reference // nil if the state has no override
	if !state.Raw.IsNull() {
		before = new(r.get(ctx, state, diags).reference())
		r.session.ManageOverride(*before)
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
	after := planned.reference()
	change := consequences.Change{What: after.String()}
	if plan.Raw.IsNull() {
		change.What = before.String()
	}
	isUnnamed := planned.Name.IsUnknown() || planned.Namespace.IsUnknown()
	if before != nil || !isUnnamed { // a new override with an unknown name replaces no known one
		change.Removal = consequences.RemovalOf(r.session, change.What, before, after, r.session.ManagesOverride(after), worldWithout)
	}
	overrides := map[override.Reference]engine.Planned[engine.Override]{}
	switch {
	case plan.Raw.IsNull():
	case isUnnamed:
		change.World.Unnamed = []string{engine.KindOverride}
	case !isKnown(plan.Raw):
		overrides[after] = engine.Planned[engine.Override]{Want: &engine.Override{Reference: after}, Partial: true}
	default:
		overrides[after] = engine.Planned[engine.Override]{Want: new(planned.expand(ctx, diags))}
	}
	change.World.Overrides = overrides
	r.session.PlanChange(change.Removal.With(change.World))
	change.Plan(ctx, r.session, response.Private, diags)
	if changes := r.planEffects(ctx, change.What, change.Removal.With(change.World), plan.Raw.IsNull(), response.Private, diags); changes != "" {
		diags.Append(response.Plan.SetAttribute(ctx, path.Root(planonly.Attribute), changes)...)
	}
}

// newWrite returns the change that writes the override.
func newWrite(o engine.Override) consequences.Change {
	return consequences.Change{
		What:  o.Reference.String(),
		World: engine.World{Overrides: map[override.Reference]engine.Planned[engine.Override]{o.Reference: {Want: &o}}},
	}
}

// worldWithout returns the change that removes the override.
func worldWithout(reference override.Reference) engine.World {
	return engine.World{Overrides: map[override.Reference]engine.Planned[engine.Override]{reference: {}}}
}
