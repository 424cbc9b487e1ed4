package membercluster

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/object"
)

// keepStatus plans the parts of the status that a change of the registration does not affect: the UID of the cluster, and the conditions of a healthy member.
// The UID cannot change, because the apply returns an error if another cluster responds. KubeFleet reports no UID: if the member is not healthy either,
// the whole status remains known after apply.
func keepStatus(ctx context.Context, p *object.Plan[model]) {
	if p.IsCreate() || p.IsDestroy() || p.IsUnchanged() {
		return
	}
	prior, planned := p.Prior(ctx), p.Planned(ctx)
	known := clusterUID(prior.Status) != "" || isHealthy(prior.Status)
	if p.Response.Diagnostics.HasError() || !planned.Name.Equal(prior.Name) || !known {
		return
	}
	p.Set(ctx, "status", prior.Status)
	if !isHealthy(prior.Status) {
		conditions := path.Root("status").AtName("conditions")
		p.Response.Diagnostics.Append(p.Response.Plan.SetAttribute(ctx, conditions, types.MapUnknown(types.StringType))...)
	}
}

// isHealthy returns false for a status without conditions.
func isHealthy(status types.Object) bool {
	conditions, _ := status.Attributes()["conditions"].(types.Map)
	for _, condition := range conditions.Elements() {
		if text, ok := condition.(types.String); !ok || text.ValueString() != "True" {
			return false
		}
	}
	return len(conditions.Elements()) > 0
}

func isPlanned(status types.Object) bool {
	conditions, _ := status.Attributes()["conditions"].(types.Map)
	return !status.IsUnknown() && !conditions.IsUnknown()
}
