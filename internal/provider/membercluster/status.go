package membercluster

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// keepStatus plans the parts of the status that a change of the registration does not affect: the UID of the cluster, because a change returns an
// error if another cluster responds; and the conditions of a healthy member. A hub does not know the UID. Without keepStatus, the framework plans the
// whole status as known after apply.
func keepStatus(ctx context.Context, request resource.ModifyPlanRequest, response *resource.ModifyPlanResponse) {
	if request.State.Raw.IsNull() || request.Plan.Raw.IsNull() || request.Plan.Raw.Equal(request.State.Raw) {
		return
	}
	var prior, planned model
	response.Diagnostics.Append(request.State.Get(ctx, &prior)...)
	response.Diagnostics.Append(request.Plan.Get(ctx, &planned)...)
	known := clusterUID(prior.Status) != "" || isHealthy(prior.Status)
	if response.Diagnostics.HasError() || !planned.Name.Equal(prior.Name) || !known {
		return
	}
	response.Diagnostics.Append(response.Plan.SetAttribute(ctx, path.Root("status"), prior.Status)...)
	if !isHealthy(prior.Status) {
		conditions := path.Root("status").AtName("conditions")
		response.Diagnostics.Append(response.Plan.SetAttribute(ctx, conditions, types.MapUnknown(types.StringType))...)
	}
}

// isHealthy reports whether all conditions of a status are True.
func isHealthy(status types.Object) bool {
	conditions, _ := status.Attributes()["conditions"].(types.Map)
	for _, condition := range conditions.Elements() {
		if text, ok := condition.(types.String); !ok || text.ValueString() != "True" {
			return false
		}
	}
	return len(conditions.Elements()) > 0
}

// isPlanned reports whether a plan knows the whole status.
func isPlanned(status types.Object) bool {
	conditions, _ := status.Attributes()["conditions"].(types.Map)
	return !status.IsUnknown() && !conditions.IsUnknown()
}
