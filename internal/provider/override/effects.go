package override

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/plannedprivate"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/planonly"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/private"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// plannedChangesAttribute is similar to the attribute of a placement.
func plannedChangesAttribute() schema.StringAttribute {
	return schema.StringAttribute{
		Computed: true,
		MarkdownDescription: "What the override changes, as the plan shows it: a line for each object of an existing placement, with the clusters and the fields. Values " +
			"of Secrets and those from `value_sensitive` are masked. Null without a change, in the next plan, without a preview, and with a Terraform before 1.16 or " +
			"OpenTofu, where a warning shows all of it. Do not use it in outputs: the next plan would change them.",
	}
}

// planEffects returns the text of planned_changes: how the override, which what names, changes placed objects. Terraform plans again right before the
// apply, and that plan repeats what the first one has stored.
func (r *Resource) planEffects(
	ctx context.Context, what string, change engine.World, destroyed bool, state private.State, diags *diag.Diagnostics,
) (planned string) {
	if before, isApply := plannedprivate.From(ctx); isApply {
		private.Recall(ctx, before, planonly.Attribute, &planned, diags)
	} else if !r.session.Applies() {
		shown := plannedprivate.Stores(ctx) && !destroyed
		if changes := r.reportEffects(ctx, change, report.Overriding{What: what, Shown: shown, Removed: destroyed}, diags); shown {
			planned = changes
		}
	}
	if planned != "" {
		private.Keep(ctx, state, planonly.Attribute, planned, diags)
	}
	return planned
}

// reportEffects reports how a change of the override changes placed objects.
func (r *Resource) reportEffects(ctx context.Context, change engine.World, o report.Overriding, diags *diag.Diagnostics) (changes string) {
	if r.session.Preview == session.PreviewOff || r.session.Engine == nil {
		return ""
	}
	fleet, has := r.session.Engine.(engine.OverrideEffects)
	if !has {
		return ""
	}
	if _, o.ByHub = r.session.Engine.(engine.Consequences); !o.ByHub {
		o.Planned = r.session.IsPlanned
	}
	found, err := fleet.PreviewOverrides(ctx, change)
	if err != nil {
		if !o.ByHub { // otherwise package consequences reports the error
			report.Warning(diags, path.Root("name"), "The effect of "+o.What+" is not known", err)
		}
		return ""
	}
	found.Placements = slices.DeleteFunc(found.Placements, func(p engine.OverriddenPlacement) bool {
		if r.session.IsGoing(p.Placement) {
			return true
		}
		return o.Removed && !o.ByHub && !r.session.IsPlanned(p.Placement) // Terraform plans the placement later, and that plan shows the changes
	})
	return report.Overridden(diags, o, found)
}
