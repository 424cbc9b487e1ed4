package membercluster

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

func (noun) Kind() string { return engine.KindMember }

func (noun) What(m model) string {
	if m.Name.IsUnknown() {
		return "a member with an unknown name"
	}
	return "member " + m.Name.ValueString()
}

func (noun) Irrelevant() []string {
	return []string{"annotations", "heartbeat_period_seconds", "identity", "delete_options", "adopt_existing", "timeouts", "agent", "status"}
}

func (noun) Reference(m model) (reference engine.Reference, known bool) {
	return engine.Reference{Name: m.Name.ValueString()}, !m.Name.IsUnknown()
}

func (noun) IsManaged(shared *session.Session, reference engine.Reference) bool {
	return shared.Members.Has(reference.Name)
}

func (noun) Applied(shared *session.Session, reference engine.Reference) {
	shared.MemberApplied(reference.Name)
}

// Write returns the planned member with the fields that placements depend on. The other fields may be unknown.
func (noun) Write(ctx context.Context, m model, prior *model, complete bool, diags *diag.Diagnostics) engine.World {
	planned := engine.Planned[member.Spec]{Want: &member.Spec{Name: m.Name.ValueString()}, Partial: true}
	if complete {
		relevant := model{Name: m.Name, Labels: m.Labels, Taints: m.Taints, AdoptExisting: m.AdoptExisting}
		planned = engine.Planned[member.Spec]{Want: new(relevant.expand(ctx, diags))}
		if prior != nil && prior.Name.Equal(m.Name) {
			planned.Was = new(prior.expand(ctx, diags))
		}
	}
	return engine.World{Members: map[string]engine.Planned[member.Spec]{m.Name.ValueString(): planned}}
}

// Remove returns the change that removes the resource of a member. An adopted member remains, without the configuration of this resource.
func (noun) Remove(ctx context.Context, m model, complete bool, diags *diag.Diagnostics) engine.World {
	was := &member.Spec{Name: m.Name.ValueString(), AdoptExisting: m.AdoptExisting.ValueBoolPointer()}
	if complete {
		was = new(m.expand(ctx, diags))
	}
	out := engine.Planned[member.Spec]{Was: was}
	if was.Adopts() {
		out.Want = &member.Spec{Name: was.Name, AdoptExisting: was.AdoptExisting}
	}
	return engine.World{Members: map[string]engine.Planned[member.Spec]{was.Name: out}}
}
