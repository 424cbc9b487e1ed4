package placement

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/plannedprivate"
)

// plannedChangesAttribute returns the schema of planned_changes, which shows the changes in a plan. The changes depend on live clusters, and the apply must
// return the value that the plan has shown. So the attribute is set only if Terraform passes the plan's private state to the apply. Package planonly removes
// the value from a state that is read, so that the next plan does not print it again.
func plannedChangesAttribute() schema.StringAttribute {
	return schema.StringAttribute{
		Computed: true,
		MarkdownDescription: "The changes of the apply on the clusters: a line with the counts, and lines with the names of objects and the fields " +
			"that an update changes. New objects that `manifest_digests` of a `fleet_crp` lists are not repeated. These changes need a decision: " +
			"deletions, restarts, takeovers of objects that differ, overwritten values of others, and objects that are not taken over. For them, the attribute has only " +
			"the names of the objects, at most ten for each kind of change, and a warning has the details. Values of Secrets are masked. The " +
			"attribute is null if nothing changes, or if the provider argument `preview` is `Off`. The next plan sets it to null, so do not use it in " +
			"outputs. With Terraform before 1.16 and with OpenTofu, it is always null, and a warning shows all changes.",
	}
}

func plansChanges(ctx context.Context) bool { return plannedprivate.Stores(ctx) }

func setChanges(ctx context.Context, changes string, response *resource.ModifyPlanResponse) {
	value := types.StringNull()
	if changes != "" {
		value = types.StringValue(changes)
	}
	response.Diagnostics.Append(response.Plan.SetAttribute(ctx, path.Root("planned_changes"), value)...)
}
