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

func plannedChangesAttribute() schema.StringAttribute {
	return schema.StringAttribute{
		Computed: true,
		MarkdownDescription: "The changes of the override on the clusters: a line for each object of an existing placement, with the clusters and " +
			"the fields. Values of Secrets and those from `value_sensitive` are masked. The attribute is null if nothing changes, or if the provider " +
			"argument `preview` is `Off`. The next plan sets it to null, so do not use it in outputs. With Terraform before 1.16 and with OpenTofu, " +
			"it is always null, and a warning shows all changes.",
	}
}

// planEffects returns the text of planned_changes: how the override changes placed objects. what names the override. The text is "" for a destroy, and if
// Terraform does not pass the private state of the plan to the apply: a warning then has all changes. Terraform plans again right before the apply, and
// planEffects then returns the text that the first plan has stored.
func planEffects(
	ctx context.Context, shared *session.Session, what string, change engine.World, destroyed bool, state private.State, diags *diag.Diagnostics,
) (planned string) {
	if before, isApply := plannedprivate.From(ctx); isApply {
		private.Recall(ctx, before, planonly.Attribute, &planned, diags)
	} else if !shared.Applies() {
		shown := plannedprivate.Stores(ctx) && !destroyed
		if changes := reportEffects(ctx, shared, change, report.Overriding{What: what, Shown: shown, Removed: destroyed}, diags); shown {
			planned = changes
		}
	}
	var stored string // the state still has the text of an earlier plan if the apply of that plan ended before its write
	private.Recall(ctx, state, planonly.Attribute, &stored, diags)
	if planned != stored {
		private.Set(ctx, state, planonly.Attribute, planned, diags)
	}
	return planned
}

func reportEffects(
	ctx context.Context, shared *session.Session, change engine.World, o report.Overriding, diags *diag.Diagnostics,
) (changes string) {
	if shared.Preview == session.PreviewOff || shared.Engine == nil {
		return ""
	}
	fleet, has := shared.Engine.(engine.OverrideEffects)
	if !has {
		return ""
	}
	if _, o.ByHub = shared.Engine.(engine.Consequences); !o.ByHub {
		o.Planned = shared.IsPlanned
	}
	found, err := fleet.PreviewOverrides(ctx, change)
	if err != nil {
		if !o.ByHub { // otherwise package consequences reports the error
			report.Warning(diags, path.Root("name"), "The effect of "+o.What+" is unknown", err)
		}
		return ""
	}
	found.Placements = slices.DeleteFunc(found.Placements, func(p engine.OverriddenPlacement) bool {
		if shared.IsDestroyed(p.Placement) {
			return true
		}
		return o.Removed && !o.ByHub && !shared.IsPlanned(p.Placement) // Terraform plans the placement later, and that plan shows the changes
	})
	return report.Overridden(diags, o, found)
}
