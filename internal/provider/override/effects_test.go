package override

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/plannedprivate"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/planonly"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/private"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// memory is a private state.
type memory map[string][]byte

func (m memory) GetKey(_ context.Context, key string) ([]byte, diag.Diagnostics) { return m[key], nil }

func (m memory) SetKey(_ context.Context, key string, value []byte) diag.Diagnostics {
	m[key] = value
	return nil
}

var _ private.State = memory{}

// overrideEngine is an engine on which an override scales a Deployment of the placement web.
type overrideEngine struct {
	permissiveEngine
	err      error
	previews int
}

func (o *overrideEngine) PreviewOverrides(context.Context, engine.World) (engine.OverridePreview, error) {
	o.previews++
	scaled := engine.OverriddenObject{
		Identifier:  manifest.Identifier{Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "shop", Name: "web"},
		Differences: []diff.Difference{{Field: "spec.replicas", InMember: 2, HasMember: true, InHub: 3, HasHub: true}},
	}
	clusters := []engine.OverriddenCluster{{Name: "member-1", Objects: []engine.OverriddenObject{scaled}}}
	return engine.OverridePreview{Placements: []engine.OverriddenPlacement{{Placement: "web", Clusters: clusters}}}, o.err
}

// TestEffects checks where the plan of an override shows its changes, and that the plan of the apply repeats them.
func TestEffects(t *testing.T) {
	t.Parallel()
	const changes = "1 object to change on 1 cluster when their placements are applied\nplacement \"web\":\n  Deployment shop/web on member-1: spec.replicas: 2 -> 3"
	config := tftypes.NewValue(tftypes.Bool, true) // the configuration of a placement
	for name, c := range map[string]struct {
		// stores reports whether Terraform stores the private state of the plan. destroyed reports whether the plan destroys the override.
		stores, destroyed bool
		shared            func(*session.Session)
		err               error
		planned, warning  string
	}{
		"planned":                              {stores: true, planned: changes},
		"by a Terraform that stores nothing":   {warning: changes},
		"destroyed":                            {stores: true, destroyed: true},
		"destroyed after the placement's plan": {stores: true, destroyed: true, shared: func(s *session.Session) { s.ClaimName("web", config, true) }, warning: changes},
		"of a destroyed placement":             {stores: true, shared: func(s *session.Session) { s.MarkDestroyed("web") }},
		"after the placement's plan": {
			stores: true, shared: func(s *session.Session) { s.ClaimName("web", config, true) }, planned: changes, warning: "Add the override to depends_on of these placements.",
		},
		"without previews": {stores: true, shared: func(s *session.Session) { s.Preview = session.PreviewOff }},
		"applied":          {stores: true, shared: func(s *session.Session) { s.Applying = true }},
		"not known":        {stores: true, err: errors.New("no member answers"), warning: "no member answers"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fleet := &overrideEngine{err: c.err}
			shared := &session.Session{Engine: fleet}
			if c.shared != nil {
				c.shared(shared)
			}
			ctx := t.Context()
			if c.stores {
				ctx = plannedprivate.WithStore(ctx)
			}
			planned := memory{}
			got, diags := planOverride(ctx, shared, planned, c.destroyed)
			if got != c.planned || diags.HasError() {
				t.Errorf("planned %q, %v", got, diags)
			}
			if c.warning == "" && len(diags) > 0 || c.warning != "" && (len(diags) != 1 || !strings.Contains(diags[0].Detail(), c.warning)) {
				t.Errorf("the plan reports %v", diags)
			}
			stored, err := json.Marshal(planned)
			if err != nil {
				t.Fatal(err)
			}
			if ctx, err = plannedprivate.With(ctx, stored); err != nil {
				t.Fatal(err)
			}
			calls := fleet.previews
			if text, diags := planOverride(ctx, &session.Session{Engine: fleet}, memory{}, c.destroyed); text != c.planned || len(diags) > 0 || fleet.previews != calls {
				t.Errorf("the plan of the apply has %q, %v", text, diags)
			}
		})
	}
}

// TestTextOfInterruptedApply checks that a plan without changes removes the text that an apply has left when it ended before its write.
func TestTextOfInterruptedApply(t *testing.T) {
	state := memory{planonly.Attribute: []byte(`"taken over"`)}
	changes, diags := planOverride(t.Context(), &session.Session{Preview: session.PreviewOff}, state, false)
	if stored := string(state[planonly.Attribute]); changes != "" || stored != `""` || len(diags) > 0 {
		t.Errorf("the plan has %q and stores %s, %v", changes, stored, diags)
	}
}

// planOverride returns the planned changes of an override.
func planOverride(ctx context.Context, shared *session.Session, state memory, destroyed bool) (changes string, diags diag.Diagnostics) {
	changes = planEffects(ctx, shared, "ResourceOverride shop/o", engine.World{}, destroyed, state, &diags)
	return changes, diags
}
