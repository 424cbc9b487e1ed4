package consequences

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/plannedprivate"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// memory is a private state.
type memory map[string][]byte

func (m memory) GetKey(_ context.Context, key string) ([]byte, diag.Diagnostics) { return m[key], nil }

func (m memory) SetKey(_ context.Context, key string, value []byte) diag.Diagnostics {
	m[key] = value
	return nil
}

// hub takes over an object of a name for each envelope that changes. An error is that of one placement.
type hub struct {
	engine.Engine
	more  []string
	err   error
	asked int
}

func (h *hub) PreviewChange(_ context.Context, change engine.World, expected engine.Expectations) ([]engine.Consequence, error) {
	h.asked++
	cluster := engine.ClusterPreview{Name: "member-1", Picked: true}
	names := h.more
	for reference := range change.Envelopes {
		names = append(names, reference.Name)
	}
	for _, name := range names {
		o := engine.ObjectPreview{Identifier: manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: "app", Name: name}, Exists: true, Mark: "="}
		o.Action = takeover.ActionTakeOver
		if problem := expected.Of("app").Contradicts(cluster.Name, o.Key(), o.Mark); problem != "" {
			o.Action, o.Obstacle, o.Problem = takeover.ActionLeaveAlone, takeover.ObstacleNotAgreed, problem
		}
		cluster.Objects = append(cluster.Objects, o)
	}
	return []engine.Consequence{
		{Placement: "app", Preview: &engine.Preview{Placement: "app", Predicted: true, Clusters: []engine.ClusterPreview{cluster}}},
		{Placement: "broken", Err: errors.New("no such namespace")},
	}, h.err
}

func enveloping(names ...string) engine.World {
	out := engine.World{Envelopes: map[engine.Reference]engine.Planned[envelope.Spec]{}}
	for _, name := range names {
		out.Envelopes[engine.Reference{Namespace: "app", Name: name}] = engine.Planned[envelope.Spec]{Want: &envelope.Spec{}}
	}
	return out
}

// TestHold checks what an apply may write after a plan.
func TestHold(t *testing.T) {
	t.Parallel()
	silent := &engine.UnreachableError{Cluster: "hub", Err: errors.New("refused")}
	for name, c := range map[string]struct {
		preview        session.PreviewMode
		planned, found hub
		// before are changes that the run plans before this one.
		before   []string
		warnings int
		holds    bool
	}{
		"as planned":                            {warnings: 1, holds: true},
		"another object":                        {found: hub{more: []string{"b"}}, warnings: 1},
		"another change of the run came first":  {before: []string{"b"}, found: hub{more: []string{"b"}}, warnings: 1, holds: true},
		"another change of the run comes later": {before: []string{"b"}, warnings: 1, holds: true},
		"not checked":                           {planned: hub{err: silent}, warnings: 1},
		"cannot be checked any more":            {found: hub{err: silent}, warnings: 1},
		"no preview":                            {preview: session.PreviewOff, found: hub{more: []string{"b"}}, holds: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			change := Change{What: "envelope app/a", World: enveloping("a")}
			shared := &session.Session{Engine: &c.planned, Preview: c.preview}
			shared.PlanChange(enveloping(c.before...))
			shared.PlanChange(change.World)
			planned := memory{}
			var diags diag.Diagnostics
			change.Plan(t.Context(), shared, planned, &diags)
			if diags.HasError() || diags.WarningsCount() != c.warnings {
				t.Errorf("the plan says %v", diags)
			}

			sent, err := json.Marshal(planned)
			if err != nil {
				t.Fatal(err)
			}
			ctx, err := plannedprivate.With(t.Context(), sent)
			if err != nil {
				t.Fatal(err)
			}
			for _, create := range []bool{true, false} {
				again := memory{}
				diags = nil
				applying := &session.Session{Engine: &c.found, Preview: c.preview}
				change.Plan(ctx, applying, again, &diags)
				if c.found.asked > 0 && c.preview != session.PreviewOff && create {
					t.Error("the plan of the apply has looked at the clusters")
				}
				holds := change.Hold(ctx, applying, create, again, &diags)
				if holds != c.holds || diags.HasError() == holds {
					t.Errorf("create %v: the change may be written: %v, %v", create, holds, diags)
				}
				if kept := string(again[privateAgreement]); !create && kept != "null" {
					t.Errorf("the agreement is kept: %s", kept)
				}
			}
		})
	}
}

// TestWarning checks what a plan says.
func TestWarning(t *testing.T) {
	t.Parallel()
	var diags diag.Diagnostics
	change := Change{What: "envelope app/a", World: enveloping("a")}
	change.Plan(t.Context(), &session.Session{Engine: &hub{}}, memory{}, &diags)
	if len(diags) != 1 {
		t.Fatal(diags)
	}
	if got, want := diags[0].Summary(), "The hub acts on envelope app/a at once: 1 object taken over, 1 placement not checked"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for _, want := range []string{"Placement \"app\":\n  taken over: ConfigMap app/a on member-1", "Placement \"broken\" could not be checked:\n  no such namespace"} {
		if !strings.Contains(diags[0].Detail(), want) {
			t.Errorf("%q is missing:\n%s", want, diags[0].Detail())
		}
	}
}
