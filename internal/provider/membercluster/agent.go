package membercluster

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
)

// agent is who the member's agent is on the hub: it follows from the name and the identity, which have to be known.
func (r *Resource) agent(ctx context.Context, m model, diags *diag.Diagnostics) types.Object {
	var out *agentModel
	if agent := r.session.Engine.Agent(m.expand(ctx, diags)); agent != nil {
		out = &agentModel{
			IdentityName: agent.Identity.Name, IdentityNamespace: agent.Identity.Namespace, MemberNamespace: agent.MemberNamespace, Role: agent.Role,
		}
	}
	return convert.Object(ctx, agentSchema(), out, diags)
}

// planAgent plans it as far as it is known.
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
	response.Diagnostics.Append(response.Plan.SetAttribute(ctx, path.Root("agent"), r.agent(ctx, known, &response.Diagnostics))...)
}
