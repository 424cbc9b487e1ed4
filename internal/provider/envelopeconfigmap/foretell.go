package envelopeconfigmap

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
)

// foretell tells the session what becomes of the envelope, for the placements that are planned after it.
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
	before, after := prior.reference(), planned.reference()
	if !state.Raw.IsNull() && before != after {
		r.session.PlanEnvelope(before, engine.Planned[envelope.Spec]{})
	}
	switch {
	case plan.Raw.IsNull():
	case planned.Namespace.IsUnknown() || planned.Name.IsUnknown():
		r.session.PlanUnnamed(engine.KindEnvelope)
	case !convert.Known(plan.Raw, "objects", "resource_selectors", "uid"):
		want := &envelope.Spec{Namespace: after.Namespace, Name: after.Name}
		r.session.PlanEnvelope(after, engine.Planned[envelope.Spec]{Want: want, Partial: true})
	default:
		r.session.PlanEnvelope(after, engine.Planned[envelope.Spec]{Want: new(planned.expand(ctx, diags))})
	}
}

func (m model) reference() engine.Reference {
	return engine.Reference{Namespace: m.Namespace.ValueString(), Name: m.Name.ValueString()}
}
