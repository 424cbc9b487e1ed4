package placement

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/plannedprivate"
)

// plannedChangesAttribute tells in a plan what needs no warning. A plan reads it from live clusters, and a value that is known in a plan has to be the same
// when the plan is applied. So it is known only where the apply gets what its plan has stored, and it says what the plan has shown, whatever the apply does.
// A state that is read loses it (package planonly): a plan would print what was planned the last time as well.
func plannedChangesAttribute() schema.StringAttribute {
	return schema.StringAttribute{
		Computed: true,
		MarkdownDescription: "What the plan shows that an apply changes on the clusters: a line that counts the objects, and a line for each object of which more is " +
			"to be said, with the fields that an update changes. What a person has to weigh is a warning instead: takeovers of objects that differ, " +
			"deletions, restarts, and everything that could not be checked. Values of Secrets are masked. Null without a change, in the next plan, without a preview, and with a " +
			"Terraform before 1.16 or OpenTofu, where a warning says all of it. Do not use it in outputs: the next plan would change them.",
	}
}

// plansChanges reports whether the plan can show the changes.
func plansChanges(ctx context.Context) bool { return plannedprivate.Stores(ctx) }

// setChanges plans the changes; empty for none.
func setChanges(ctx context.Context, changes string, response *resource.ModifyPlanResponse) {
	value := types.StringNull()
	if changes != "" {
		value = types.StringValue(changes)
	}
	response.Diagnostics.Append(response.Plan.SetAttribute(ctx, path.Root("planned_changes"), value)...)
}
