package placement

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"

	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// keepSpelling keeps the comparison option of the state if the configuration has the other spelling of the same option: Microsoft's documentation writes
// partialComparison, and KubeFleet's API has PartialComparison.
type keepSpelling struct{}

func (keepSpelling) Description(context.Context) string {
	return "two spellings of an option are no difference"
}

func (m keepSpelling) MarkdownDescription(ctx context.Context) string { return m.Description(ctx) }

func (keepSpelling) PlanModifyString(_ context.Context, request planmodifier.StringRequest, response *planmodifier.StringResponse) {
	if request.StateValue.IsNull() || request.PlanValue.IsNull() || request.PlanValue.IsUnknown() {
		return
	}
	state, known := domain.ParseComparisonOption(request.StateValue.ValueString())
	planned, valid := domain.ParseComparisonOption(request.PlanValue.ValueString())
	if known && valid && state == planned {
		response.PlanValue = request.StateValue
	}
}
