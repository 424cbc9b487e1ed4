package placement

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/enum"
)

// statusAttribute is what a plan prints the old value of whenever something is to be done, so it is small.
func statusAttribute() schema.SingleNestedAttribute {
	texts := func(description string) schema.MapAttribute {
		return schema.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: description}
	}
	lines := func(description string) schema.ListAttribute {
		return schema.ListAttribute{
			Computed: true, ElementType: types.StringType, MarkdownDescription: description + " At most 50 lines, of which the last one counts the rest.",
		}
	}
	return schema.SingleNestedAttribute{
		Computed: true, MarkdownDescription: "What came of the placement, in KubeFleet's words: a line for each condition, for each cluster and for each " +
			"object of which there is something to say. All of it, with messages, generations and differences, is in the data source `fleet_crp`. " +
			"It is known after apply whenever something is to be done.",
		Attributes: map[string]schema.Attribute{
			"conditions": texts("Conditions by type (`Scheduled`, `RolloutStarted`, `Overridden`, `WorkSynchronized`, `Applied`, `Available`; under " +
				"`ReportDiff` `DiffReported` in place of the last two): `True`, or status and reason, as in `False: ApplyFailed`. After the first that is " +
				"not `True` there is no other."),
			"placement_statuses": texts("Where the placement stands on each cluster, by cluster name: " + enum.OneOf[domain.Phase]() + ". Clusters that " +
				"`number_of_clusters` asks for and that are not to be had are counted in one entry, as in `\"(2 unfilled)\" = \"ScheduleFailed\"`."),
			"failed_placements": lines("Objects that are not applied or not available, as in `member-2: Deployment web-2/web: NotTakenOver`."),
			"drifted_placements": lines("Objects that others have changed since they were applied, with the fields, as in " +
				"`member-2: ConfigMap shop/settings: /data/color`."),
			"diffed_placements": lines("Objects that differ from what is to be placed, with the fields: with `type = \"ReportDiff\"`, and those that " +
				"`when_to_take_over = \"IfNoDiff\"` leaves alone."),
		},
	}
}

type statusModel struct {
	Conditions        map[string]string       `tfsdk:"conditions"`
	PlacementStatuses map[string]domain.Phase `tfsdk:"placement_statuses"`
	FailedPlacements  []string                `tfsdk:"failed_placements"`
	DriftedPlacements []string                `tfsdk:"drifted_placements"`
	DiffedPlacements  []string                `tfsdk:"diffed_placements"`
}

// setStatus puts a status into the model.
func (m *Model) setStatus(ctx context.Context, status domain.Status, diags *diag.Diagnostics) {
	m.Status = convert.Object(ctx, statusAttribute(), new(statusModel(status.Summarize())), diags)
}
