package membercluster

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/object"
)

// expandAgent returns the identity of the member's agent on the hub. It depends on name, identity and adopt_existing, which must be known.
func (m model) expandAgent(ctx context.Context, fleet engine.Engine, diags *diag.Diagnostics) types.Object {
	var out *agentModel
	if agent := fleet.Agent(m.expand(ctx, diags)); agent != nil {
		out = &agentModel{
			IdentityName: agent.Identity.Name, IdentityNamespace: agent.Identity.Namespace, MemberNamespace: agent.MemberNamespace, Role: agent.Role,
		}
	}
	return convert.Object(ctx, agentSchema(), out, diags)
}

func planAgent(ctx context.Context, p *object.Plan[model]) {
	fleet, data := p.Engine(), p.Planned(ctx)
	if fleet == nil || data == nil {
		return
	}
	identity, err := data.Identity.ToTerraformValue(ctx)
	if p.Response.Diagnostics.HasError() || err != nil || data.Name.IsUnknown() || data.AdoptExisting.IsUnknown() || !convert.Known(identity) {
		return
	}
	known := model{Name: data.Name, Identity: data.Identity, AdoptExisting: data.AdoptExisting}
	p.Set(ctx, "agent", known.expandAgent(ctx, fleet, &p.Response.Diagnostics))
}
