package placementpreview

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	resource "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/enum"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/taint"
)

func assumeAttribute() (schema.Attribute, error) {
	out, err := convert.DataSource(map[string]resource.Attribute{"assume": resource.MapNestedAttribute{
		Optional: true,
		MarkdownDescription: "Members that the preview assumes in another state, by name. The preview then shows what an apply of the placement " +
			"would do in this case: which clusters it would pick instead, and what would happen to the objects. Nothing is changed, and `digest` " +
			"is null. The `report` names the assumptions and the clusters that are picked because of them. An assumption takes precedence over " +
			"the plan of the same member in the same run. To find out what the assumptions change, the data source also makes a preview without " +
			"them. If the apply replaces the placement, the removal of the former one is previewed under the assumptions as well. " +
			"Each engine applies its own rules. On all engines, an existing placement with an unchanged policy remains on an unreachable member: " +
			"nothing moves. The guide [Members](../guides/members.md) has a table.",
		NestedObject: resource.NestedAttributeObject{Attributes: map[string]resource.Attribute{
			"state": resource.StringAttribute{
				Optional: true, Validators: enum.Validators[engine.Assumption](),
				MarkdownDescription: enum.OneOf[engine.Assumption]() + ". `Unreachable`: the member has not responded for longer than the engine " +
					"tolerates. `Gone`: the member was removed from the fleet, as a destroy of its `fleet_member_cluster` does. `New`: a member " +
					"that is not registered, with these `labels` and `taints`. If the provider has no connection to it, nothing is checked there, and " +
					"the preview lists all objects as created. Without a `state`, the member is registered and has other `labels` or `taints`.",
			},
			"labels": resource.MapAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "The `labels` of the member's `fleet_member_cluster`. They replace the whole map. With a hub, labels that other " +
					"systems set on the member remain. If omitted, the member keeps its labels.",
			},
			"taints": taint.Attribute("The `taints` of the member's `fleet_member_cluster`. They replace the whole set; `[]` assumes none. If " +
				"omitted, the member keeps its taints."),
		}},
	}})
	return out["assume"], err
}
