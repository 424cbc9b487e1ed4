package membercluster

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// keepStatus plans what a change of the registration leaves as it is: which cluster it is, for a change is refused where another one answers,
// and that it has joined and answers. A hub does not know which cluster a member is. The framework plans all of the status to be known after apply.
func keepStatus(ctx context.Context, request resource.ModifyPlanRequest, response *resource.ModifyPlanResponse) {
	if request.State.Raw.IsNull() || request.Plan.Raw.IsNull() || request.Plan.Raw.Equal(request.State.Raw) {
		return
	}
	var prior, planned model
	response.Diagnostics.Append(request.State.Get(ctx, &prior)...)
	response.Diagnostics.Append(request.Plan.Get(ctx, &planned)...)
	known := clusterUID(prior.Status) != "" || healthy(prior.Status)
	if response.Diagnostics.HasError() || !planned.Name.Equal(prior.Name) || !known {
		return
	}
	response.Diagnostics.Append(response.Plan.SetAttribute(ctx, path.Root("status"), prior.Status)...)
	if !healthy(prior.Status) {
		conditions := path.Root("status").AtName("conditions")
		response.Diagnostics.Append(response.Plan.SetAttribute(ctx, conditions, types.MapUnknown(types.StringType))...)
	}
}

// healthy tells whether every condition of a status is True.
func healthy(status types.Object) bool {
	conditions, _ := status.Attributes()["conditions"].(types.Map)
	for _, condition := range conditions.Elements() {
		if text, is := condition.(types.String); !is || text.ValueString() != "True" {
			return false
		}
	}
	return len(conditions.Elements()) > 0
}

// isPlanned tells whether a plan has the whole status.
func isPlanned(status types.Object) bool {
	conditions, _ := status.Attributes()["conditions"].(types.Map)
	return !status.IsUnknown() && !conditions.IsUnknown()
}
