package override

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/planonly"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

func (noun) Kind() string         { return engine.KindOverride }
func (noun) What(m model) string  { return m.reference().String() }
func (noun) Irrelevant() []string { return []string{"missing_on", planonly.Attribute} }

func (noun) Reference(m model) (reference engine.Reference, known bool) {
	return engine.Reference(m.reference()), !m.Name.IsUnknown() && !m.Namespace.IsUnknown()
}

func (noun) IsManaged(shared *session.Session, reference engine.Reference) bool {
	return shared.Overrides.Has(override.Reference(reference))
}

func (noun) Applied(shared *session.Session, reference engine.Reference) {
	shared.OverrideApplied(override.Reference(reference))
}

func (noun) Write(ctx context.Context, m model, _ *model, complete bool, diags *diag.Diagnostics) engine.World {
	planned := engine.Planned[engine.Override]{Want: &engine.Override{Reference: m.reference()}, Partial: true}
	if complete {
		planned = engine.Planned[engine.Override]{Want: new(m.expand(ctx, diags))}
	}
	return engine.World{Overrides: map[override.Reference]engine.Planned[engine.Override]{m.reference(): planned}}
}

func (noun) Remove(_ context.Context, m model, _ bool, _ *diag.Diagnostics) engine.World {
	return engine.World{Overrides: map[override.Reference]engine.Planned[engine.Override]{m.reference(): {}}}
}
