package membercluster

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
)

// expandAgent returns the identity of the member's agent on the hub. It depends on the name and the identity, which must be known.
func (r *Resource) expandAgent(ctx context.Context, m model, diags *diag.Diagnostics) types.Object {
	var out *agentModel
	if agent := r.session.Engine.Agent(m.expand(ctx, diags)); agent != nil {
		out = &agentModel{
			IdentityName: agent.Identity.Name, IdentityNamespace: agent.Identity.Namespace, MemberNamespace: agent.MemberNamespace, Role: agent.Role,
		}
	}
	return convert.Object(ctx, agentSchema(), out, diags)
}

// planAgent plans the agent attribute if the arguments that it depends on are known.
func (r *Resource) planAgent(ctx context.Context, response *resource.ModifyPlanResponse) {
	if r.session == nil || r.session.Engine == nil || response.Plan.Raw.IsNull() {
		return
	}
	var data model
	response.Diagnostics.Append(response.Plan.Get(ctx, &data)...)
	identity, err := data.Identity.ToTerraformValue(ctx)
	if response.Diagnostics.HasError() || err != nil || data.Name.IsUnknown() || data.AdoptExisting.IsUnknown() || !convert.Known(identity) {
		return
	}
	known := model{Name: data.Name, Identity: data.Identity, AdoptExisting: data.AdoptExisting}
	response.Diagnostics.Append(response.Plan.SetAttribute(ctx, path.Root("agent"), r.expandAgent(ctx, known, &response.Diagnostics))...)
}
