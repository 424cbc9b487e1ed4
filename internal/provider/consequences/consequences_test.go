package consequences

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
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

// hub is an engine whose hub takes over an object for each changed envelope and for each name in more. The placement "broken" cannot be previewed. err is the
// error of the whole preview.
type hub struct {
	engine.Engine
	more     []string
	err      error
	previews int
	// began receives an element for each preview if it is not nil.
	began chan struct{}
}

func (h *hub) PreviewChange(_ context.Context, change engine.World, expected engine.Expectations) ([]engine.Consequence, error) {
	h.previews++
	if h.began != nil {
		h.began <- struct{}{}
	}
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
		{Placement: "app", Preview: &engine.Preview{Placement: "app", Hub: &engine.HubPreview{}, Clusters: []engine.ClusterPreview{cluster}}},
		{Placement: "broken", Err: errors.New("no such namespace")},
	}, h.err
}

func newWorld(names ...string) engine.World {
	out := engine.World{Envelopes: map[engine.Reference]engine.Planned[envelope.Spec]{}}
	for _, name := range names {
		out.Envelopes[engine.Reference{Namespace: "app", Name: name}] = engine.Planned[envelope.Spec]{Want: &envelope.Spec{}}
	}
	return out
}

// TestHold checks what an apply may write after a plan.
func TestHold(t *testing.T) {
	t.Parallel()
	forbidden := errors.New("cannot list ClusterResourcePlacement: rejected (403)")
	unreachable := &engine.UnreachableError{Cluster: "hub", Err: errors.New("refused")}
	for name, c := range map[string]struct {
		preview        session.PreviewMode
		planned, found hub
		// before are the changes that the run plans before this one.
		before   []string
		warnings int
		holds    bool
	}{
		"as planned":                            {warnings: 1, holds: true},
		"another object":                        {found: hub{more: []string{"b"}}, warnings: 1},
		"another change of the run came first":  {before: []string{"b"}, found: hub{more: []string{"b"}}, warnings: 1, holds: true},
		"another change of the run comes later": {before: []string{"b"}, warnings: 1, holds: true},
		"not checked":                           {planned: hub{err: unreachable}, warnings: 1},
		"cannot be checked any more":            {found: hub{err: unreachable}, warnings: 1},
		"no permission to check":                {planned: hub{err: forbidden}, found: hub{err: forbidden}, warnings: 1, holds: true},
		"permission withdrawn":                  {found: hub{err: forbidden}, warnings: 1},
		"no preview":                            {preview: session.PreviewOff, found: hub{more: []string{"b"}}, holds: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			change := Change{What: "envelope app/a", World: newWorld("a")}
			shared := &session.Session{Engine: &c.planned, Preview: c.preview}
			shared.PlanChange(newWorld(c.before...))
			shared.PlanChange(change.World)
			planned := memory{}
			var diags diag.Diagnostics
			change.Plan(t.Context(), shared, planned, &diags)
			if diags.HasError() || diags.WarningsCount() != c.warnings {
				t.Errorf("the plan reports %v", diags)
			}

			ctx := carry(t, planned)
			for _, create := range []bool{true, false} {
				replanned := memory{}
				diags = nil
				applying := &session.Session{Engine: &c.found, Preview: c.preview}
				change.Plan(ctx, applying, replanned, &diags)
				if c.found.previews > 0 && c.preview != session.PreviewOff && create {
					t.Error("the plan of the apply has checked the clusters")
				}
				end, holds := change.Verify(ctx, applying, create, replanned, &diags)
				end()
				if holds != c.holds || diags.HasError() == holds {
					t.Errorf("create %v: the change may be written: %v, %v", create, holds, diags)
				}
				if stored := string(replanned[privateAgreement]); !create && stored != "null" {
					t.Errorf("the agreement remains: %s", stored)
				}
			}
		})
	}
}

// carry returns a context with the private state of a plan.
func carry(t *testing.T, planned memory) context.Context {
	t.Helper()
	sent, err := json.Marshal(planned)
	if err != nil {
		t.Fatal(err)
	}
	ctx, err := plannedprivate.With(t.Context(), sent)
	if err != nil {
		t.Fatal(err)
	}
	return ctx
}

// TestRemoval checks that the removal of a replaced resource is restricted to what the plan shows for the removal, and not to what the new resource
// causes.
func TestRemoval(t *testing.T) {
	t.Parallel()
	removal := engine.World{Envelopes: map[engine.Reference]engine.Planned[envelope.Spec]{{Namespace: "app", Name: "old"}: {}}}
	for name, c := range map[string]struct {
		planned Change
		found   hub
		holds   bool
	}{
		"destroyed":                  {planned: Change{Removal: removal}, holds: true},
		"destroyed, another object":  {planned: Change{Removal: removal}, found: hub{more: []string{"b"}}},
		"replaced":                   {planned: Change{Removal: removal, World: newWorld("new")}, holds: true},
		"replaced, another object":   {planned: Change{Removal: removal, World: newWorld("new")}, found: hub{more: []string{"b"}}},
		"replaced without a warning": {planned: Change{World: newWorld("new")}, holds: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			planned, replanned := memory{}, memory{}
			var diags diag.Diagnostics
			c.planned.Plan(t.Context(), &session.Session{Engine: &hub{}}, planned, &diags)
			applying := &session.Session{Engine: &c.found}
			Change{Removal: removal}.Plan(carry(t, planned), applying, replanned, &diags)
			end, holds := Change{Removal: removal}.Verify(t.Context(), applying, false, replanned, &diags)
			if end(); holds != c.holds {
				t.Errorf("the removal may be written: %v, %v", holds, diags)
			}
		})
	}
}

// TestTurns checks that a change is compared with the plan only after the changes compared before it are written.
func TestTurns(t *testing.T) {
	t.Parallel()
	first, second := Change{What: "envelope app/a", World: newWorld("a")}, Change{What: "envelope app/b", World: newWorld("b")}
	plannedFirst, plannedSecond := memory{}, memory{}
	var diags diag.Diagnostics
	first.Plan(t.Context(), &session.Session{Engine: &hub{}}, plannedFirst, &diags)
	second.Plan(t.Context(), &session.Session{Engine: &hub{}}, plannedSecond, &diags)

	fleet := &hub{}
	applying := &session.Session{Engine: fleet}
	end, ok := first.Verify(carry(t, plannedFirst), applying, true, memory{}, &diags)
	if !ok {
		t.Fatal(diags)
	}
	fleet.began = make(chan struct{}, 1)
	started, compared := make(chan struct{}), make(chan bool)
	ctx := carry(t, plannedSecond)
	go func() {
		close(started)
		var diags diag.Diagnostics
		end, ok := second.Verify(ctx, applying, true, memory{}, &diags)
		end()
		compared <- ok
	}()
	<-started
	select {
	case <-fleet.began:
		t.Fatal("the second change was compared before the first was written")
	case <-time.After(100 * time.Millisecond):
	}
	fleet.more = []string{"c"} // the hub does this because of both changes
	end()
	if ok := <-compared; ok {
		t.Error("the second change may be written")
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	taken, err := applying.TakeTurn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer taken()
	if _, ok := second.Verify(cancelled, applying, true, memory{}, &diags); ok {
		t.Error("a change whose run has ended may be written")
	}
}

// guardedHub is a hub on which an override excludes an object from a cluster. When the override is removed, the hub creates the object or takes it
// over. When there is an override again, the hub deletes the object.
type guardedHub struct {
	engine.Engine
	action takeover.Action
	// removed reports whether the override was removed.
	removed bool
}

func (g *guardedHub) PreviewChange(_ context.Context, change engine.World, _ engine.Expectations) ([]engine.Consequence, error) {
	wanted := false
	for _, planned := range change.Overrides {
		wanted = wanted || planned.Want != nil
	}
	o := engine.ObjectPreview{Identifier: manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: "app", Name: "a"}, Action: g.action}
	switch {
	case wanted == !g.removed:
		return nil, nil
	case wanted:
		o.Action = takeover.ActionPrune
	}
	preview := &engine.Preview{Hub: &engine.HubPreview{}, Clusters: []engine.ClusterPreview{{Name: "member-1", Picked: true, Objects: []engine.ObjectPreview{o}}}}
	return []engine.Consequence{{Placement: "app", Preview: preview}}, nil
}

// TestReplacedOverride checks that objects that the hub creates while an override is replaced can be deleted again, and no other objects.
func TestReplacedOverride(t *testing.T) {
	t.Parallel()
	changeOverride := func(name string, want *engine.Override) engine.World {
		return engine.World{Overrides: map[override.Reference]engine.Planned[engine.Override]{{Name: name}: {Want: want}}}
	}
	for action, holds := range map[takeover.Action]bool{takeover.ActionCreate: true, takeover.ActionTakeOver: false} {
		change := Change{What: "override new", Removal: changeOverride("old", nil), World: changeOverride("new", &engine.Override{})}
		planned := memory{}
		var diags diag.Diagnostics
		change.Plan(t.Context(), &session.Session{Engine: &guardedHub{action: action}}, planned, &diags)
		applying := &session.Session{Engine: &guardedHub{action: action, removed: true}}
		replacement := Change{What: change.What, World: change.World}
		end, got := replacement.Verify(carry(t, planned), applying, true, memory{}, &diags)
		if end(); got != holds {
			t.Errorf("%s: the override may be written: %v, %v", action, got, diags)
		}
	}
}

// crossingHub is a hub that takes over an object for each pair of a changed envelope and a changed member.
type crossingHub struct{ engine.Engine }

func (crossingHub) PreviewChange(_ context.Context, change engine.World, _ engine.Expectations) (out []engine.Consequence, _ error) {
	preview := &engine.Preview{Placement: "app", Hub: &engine.HubPreview{}}
	for name := range change.Members {
		cluster := engine.ClusterPreview{Name: name, Picked: true}
		for reference := range change.Envelopes {
			o := engine.ObjectPreview{Identifier: manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: "app", Name: reference.Name}, Exists: true}
			o.Action = takeover.ActionTakeOver
			cluster.Objects = append(cluster.Objects, o)
		}
		preview.Clusters = append(preview.Clusters, cluster)
	}
	return []engine.Consequence{{Placement: "app", Preview: preview}}, nil
}

// TestTogether checks that the plan shows what only several changes of the run cause together.
func TestTogether(t *testing.T) {
	t.Parallel()
	shared := &session.Session{Engine: crossingHub{}}
	var diags diag.Diagnostics
	for _, change := range []Change{
		{What: "member member-2", World: engine.World{Members: map[string]engine.Planned[member.Spec]{"member-2": {Want: &member.Spec{}}}}},
		{What: "envelope app/a", World: newWorld("a")},
		{What: "envelope app/b", World: newWorld("b")},
	} {
		shared.PlanChange(change.World)
		change.Plan(t.Context(), shared, memory{}, &diags)
	}
	if len(diags) != 2 {
		t.Fatal(diags)
	}
	for i, want := range []string{"a", "b"} {
		if text := diags[i].Detail(); !strings.Contains(text, "taken over: ConfigMap app/"+want+" on member-2") || strings.Count(text, "taken over: ") != 1 {
			t.Errorf("envelope %s: %s", want, text)
		}
	}
}

// TestNothingHandedOver checks that an apply is not restricted to its own findings if Terraform does not pass on the plan's private state.
func TestNothingHandedOver(t *testing.T) {
	t.Parallel()
	fleet := &hub{}
	shared := &session.Session{Engine: fleet, Applying: true}
	change, planned := Change{What: "envelope app/a", World: newWorld("a")}, memory{}
	var diags diag.Diagnostics
	change.Plan(t.Context(), shared, planned, &diags)
	fleet.more = []string{"b"}
	end, ok := change.Verify(carry(t, planned), shared, true, memory{}, &diags)
	if end(); !ok || len(diags) > 0 || fleet.previews > 0 {
		t.Errorf("%d previews: %v", fleet.previews, diags)
	}
}

// TestRequired checks that a plan that cannot check everything fails if a preview is required.
func TestRequired(t *testing.T) {
	t.Parallel()
	for name, fleet := range map[string]*hub{"a placement": {}, "the hub": {err: errors.New("refused")}} {
		var diags diag.Diagnostics
		Change{What: "envelope app/a", World: newWorld("a")}.Plan(t.Context(), &session.Session{Engine: fleet, Preview: session.PreviewRequired}, memory{}, &diags)
		if !diags.HasError() {
			t.Errorf("%s cannot be checked: %v", name, diags)
		}
	}
}

// TestWarning checks the warning of a plan.
func TestWarning(t *testing.T) {
	t.Parallel()
	var diags diag.Diagnostics
	change := Change{What: "envelope app/a", World: newWorld("a")}
	change.Plan(t.Context(), &session.Session{Engine: &hub{}}, memory{}, &diags)
	if len(diags) != 1 {
		t.Fatal(diags)
	}
	if got, want := diags[0].Summary(), "The hub acts on envelope app/a immediately: 1 object taken over, 1 placement not checked"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for _, want := range []string{"Placement \"app\":\n  taken over: ConfigMap app/a on member-1", "Placement \"broken\" could not be checked:\n  no such namespace"} {
		if !strings.Contains(diags[0].Detail(), want) {
			t.Errorf("%q is missing:\n%s", want, diags[0].Detail())
		}
	}
}
