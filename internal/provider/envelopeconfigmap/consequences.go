package envelopeconfigmap

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

func (noun) Kind() string         { return engine.KindEnvelope }
func (noun) What(m model) string  { return "envelope " + m.String() }
func (noun) Irrelevant() []string { return []string{"objects", "resource_selectors", "uid"} }

func (noun) Reference(m model) (reference engine.Reference, known bool) {
	return m.reference(), !m.Name.IsUnknown() && !m.Namespace.IsUnknown()
}

func (noun) IsManaged(shared *session.Session, reference engine.Reference) bool {
	return shared.Envelopes.Has(reference)
}

func (noun) Applied(shared *session.Session, reference engine.Reference) {
	shared.EnvelopeApplied(reference)
}

func (noun) Write(ctx context.Context, m model, _ *model, complete bool, diags *diag.Diagnostics) engine.World {
	planned := engine.Planned[envelope.Spec]{Want: &envelope.Spec{Namespace: m.Namespace.ValueString(), Name: m.Name.ValueString()}, Partial: true}
	if complete {
		planned = engine.Planned[envelope.Spec]{Want: new(m.expand(ctx, diags))}
	}
	return engine.World{Envelopes: map[engine.Reference]engine.Planned[envelope.Spec]{m.reference(): planned}}
}

func (noun) Remove(_ context.Context, m model, _ bool, _ *diag.Diagnostics) engine.World {
	return engine.World{Envelopes: map[engine.Reference]engine.Planned[envelope.Spec]{m.reference(): {}}}
}

func (m model) reference() engine.Reference {
	return engine.Reference{Namespace: m.Namespace.ValueString(), Name: m.Name.ValueString()}
}
