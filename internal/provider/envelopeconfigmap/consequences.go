package envelopeconfigmap

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/consequences"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/private"
)

// recordPlan records the planned envelope for the placements that are planned after it, and previews what the hub does with existing placements.
func (r *Resource) recordPlan(ctx context.Context, state tfsdk.State, plan tfsdk.Plan, private private.State, diags *diag.Diagnostics) {
	if r.session == nil {
		return
	}
	var prior, planned model
	var known *engine.Reference // nil if the state has no envelope
	if !state.Raw.IsNull() {
		diags.Append(state.Get(ctx, &prior)...)
		known = new(prior.reference())
		r.session.ManageEnvelope(*known)
	}
	if plan.Raw.Equal(state.Raw) {
		return
	}
	if !plan.Raw.IsNull() {
		diags.Append(plan.Get(ctx, &planned)...)
	}
	if diags.HasError() {
		return
	}
	after := planned.reference()
	change := consequences.Change{What: "envelope " + planned.String()}
	if plan.Raw.IsNull() {
		change.What = "envelope " + prior.String()
	}
	isUnnamed := planned.Name.IsUnknown() || planned.Namespace.IsUnknown()
	if known != nil || !isUnnamed { // a new envelope with an unknown name replaces no known one
		change.Removal = consequences.RemovalOf(r.session, change.What, known, after, r.session.ManagesEnvelope(after), worldWithout)
	}
	envelopes := map[engine.Reference]engine.Planned[envelope.Spec]{}
	switch {
	case plan.Raw.IsNull():
	case isUnnamed:
		change.World.Unnamed = []string{engine.KindEnvelope}
	case !convert.Known(plan.Raw, "objects", "resource_selectors", "uid"):
		want := &envelope.Spec{Namespace: after.Namespace, Name: after.Name}
		envelopes[after] = engine.Planned[envelope.Spec]{Want: want, Partial: true}
	default:
		envelopes[after] = engine.Planned[envelope.Spec]{Want: new(planned.expand(ctx, diags))}
	}
	change.World.Envelopes = envelopes
	r.session.PlanChange(change.Removal.With(change.World))
	change.Plan(ctx, r.session, private, diags)
}

// newWrite returns the change that writes the envelope.
func newWrite(spec envelope.Spec) consequences.Change {
	reference := engine.Reference{Namespace: spec.Namespace, Name: spec.Name}
	return consequences.Change{
		What:  "envelope " + reference.String(),
		World: engine.World{Envelopes: map[engine.Reference]engine.Planned[envelope.Spec]{reference: {Want: &spec}}},
	}
}

// worldWithout returns the change that removes the envelope.
func worldWithout(reference engine.Reference) engine.World {
	return engine.World{Envelopes: map[engine.Reference]engine.Planned[envelope.Spec]{reference: {}}}
}

func (m model) reference() engine.Reference {
	return engine.Reference{Namespace: m.Namespace.ValueString(), Name: m.Name.ValueString()}
}
