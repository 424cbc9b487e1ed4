package membercluster

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
)

// warnReleased tells of a member that stays in the fleet when its resource is destroyed.
func warnReleased(ctx context.Context, state tfsdk.State, removing bool, diags *diag.Diagnostics) {
	if state.Raw.IsNull() || !removing {
		return
	}
	var data model
	diags.Append(state.Get(ctx, &data)...)
	if !diags.HasError() && data.AdoptExisting.ValueBool() {
		report.ReleasedMember(diags, data.Name.ValueString())
	}
}

// refuseRegistration refuses to make a member one's own that another system has made: who its agent is, nobody has said here.
func refuseRegistration(ctx context.Context, state tfsdk.State, planned model, diags *diag.Diagnostics) {
	var prior model
	diags.Append(state.Get(ctx, &prior)...)
	if diags.HasError() || !prior.AdoptExisting.ValueBool() || planned.AdoptExisting.IsUnknown() || planned.AdoptExisting.ValueBool() ||
		!planned.Name.Equal(prior.Name) {
		return
	}
	diags.AddAttributeError(path.Root("adopt_existing"), "The member cluster "+planned.Name.String()+" is another system's", "With adopt_existing only labels, "+
		"annotations and taints were managed here; without it the whole member would be, and a destroy would end its membership. If that is what "+
		"you want, take the resource out of the state (terraform state rm) and import it (ID "+planned.Name.String()+"), with its identity in the "+
		"configuration. If the member is not to be managed any more, remove the resource.")
}
