package placementpreview

import (
	"context"
	"errors"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/lookup"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// assumingEngine is an engine with the registered members in members; a member with a nil spec cannot be read. It records the worlds of the previews. Under
// assumptions, it picks member-3 instead of member-1.
type assumingEngine struct {
	fakeEngine
	members map[string]*member.Spec
	worlds  []engine.World
	// expected has the approved preview that each preview is compared with.
	expected []*engine.Expectation
}

func (f *assumingEngine) ReadMember(_ context.Context, name string, _ *engine.Member) (engine.Member, error) {
	spec, found := f.members[name]
	switch {
	case !found:
		return engine.Member{}, engine.ErrNotFound
	case spec == nil:
		return engine.Member{}, &engine.MemberUnreachableError{Member: name, Err: errors.New("no route\x1b[31m\r\nforged")}
	}
	return engine.Member{Spec: *spec}, nil
}

func (f *assumingEngine) ListMembers(context.Context) ([]engine.ListedMember, error) {
	var out []engine.ListedMember
	for name := range f.members {
		out = append(out, engine.ListedMember{Member: engine.Member{Spec: member.Spec{Name: name}}, Joined: true})
	}
	return out, nil
}

func (f *assumingEngine) Preview(_ context.Context, _ engine.Placement, options engine.PreviewOptions) (*engine.Preview, error) {
	f.worlds, f.expected = append(f.worlds, options.World), append(f.expected, options.Expected)
	out := newPreview()
	if len(options.World.Assumed) > 0 {
		out.Clusters[0].Picked, out.Clusters[2].Picked = false, true
	}
	return out, nil
}

var (
	labels = map[string]string{"region": "eu"}
	taints = []member.Taint{{Key: "down", Effect: placement.NoSchedule}}
)

// TestAssumedWorld checks the translation of assumptions to the changes that an engine previews.
func TestAssumedWorld(t *testing.T) {
	t.Parallel()
	registered := member.Spec{Name: "a", Labels: map[string]string{"region": "us"}, Taints: taints, Annotations: map[string]string{"kept": "yes"}}
	planned := engine.Planned[member.Spec]{Was: &registered, Want: &member.Spec{Name: "a", Labels: map[string]string{"region": "planned"}}}
	members := &assumingEngine{members: map[string]*member.Spec{"a": &registered, "down": nil}}
	relabelled := registered
	relabelled.Labels = labels
	for name, c := range map[string]struct {
		run    map[string]engine.Planned[member.Spec]
		assume report.Assumption
		// want is the change of the member, nil for none. assumed reports whether the world names the assumption.
		want    *engine.Planned[member.Spec]
		assumed bool
		problem string
	}{
		"other labels": {nil, report.Assumption{Member: "a", Labels: labels}, &engine.Planned[member.Spec]{Want: &relabelled, Was: &registered}, true, ""},
		"no taints": {nil, report.Assumption{Member: "a", Taints: []member.Taint{}}, &engine.Planned[member.Spec]{
			Was:  &registered,
			Want: &member.Spec{Name: "a", Labels: registered.Labels, Taints: []member.Taint{}, Annotations: registered.Annotations},
		}, true, ""},
		"other taints of a planned member": {
			map[string]engine.Planned[member.Spec]{"a": planned}, report.Assumption{Member: "a", Taints: taints},
			&engine.Planned[member.Spec]{Was: &registered, Want: &member.Spec{Name: "a", Labels: planned.Want.Labels, Taints: taints}}, true, "",
		},
		"other labels of a member that the run registers": {
			map[string]engine.Planned[member.Spec]{"b": {Want: &member.Spec{Name: "b"}}}, report.Assumption{Member: "b", Labels: labels},
			&engine.Planned[member.Spec]{Want: &member.Spec{Name: "b", Labels: labels}}, true, "",
		},
		"other labels of a member that the run removes": {
			map[string]engine.Planned[member.Spec]{"a": {Was: &registered}}, report.Assumption{Member: "a", Labels: labels},
			&engine.Planned[member.Spec]{Want: &relabelled, Was: &registered}, true, "",
		},
		"unreachable":            {nil, report.Assumption{Member: "a", State: engine.AssumeUnreachable}, nil, true, ""},
		"unreachable already":    {nil, report.Assumption{Member: "down", State: engine.AssumeUnreachable}, nil, true, ""},
		"unreachable, unknown":   {nil, report.Assumption{Member: "c", State: engine.AssumeUnreachable}, nil, true, `assume["c"]: the fleet has no member "c". Its members are a`},
		"gone":                   {nil, report.Assumption{Member: "a", State: engine.AssumeGone}, &engine.Planned[member.Spec]{Was: &registered}, true, ""},
		"gone, unknown":          {nil, report.Assumption{Member: "c", State: engine.AssumeGone}, nil, true, "has no member"},
		"gone, not accessible":   {nil, report.Assumption{Member: "down", State: engine.AssumeGone}, nil, true, "no route"},
		"gone, not there yet":    {map[string]engine.Planned[member.Spec]{"b": {Want: &member.Spec{Name: "b"}}}, report.Assumption{Member: "b", State: engine.AssumeGone}, nil, false, ""},
		"new":                    {nil, report.Assumption{Member: "c", State: engine.AssumeNew, Labels: labels}, &engine.Planned[member.Spec]{Want: &member.Spec{Name: "c", Labels: labels}}, true, ""},
		"new, registered":        {nil, report.Assumption{Member: "a", State: engine.AssumeNew}, nil, true, "registered already"},
		"labels, unknown":        {nil, report.Assumption{Member: "c", Labels: labels}, nil, true, `state = "New"`},
		"labels, not accessible": {nil, report.Assumption{Member: "down", Labels: labels}, nil, true, "no route"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var diags diag.Diagnostics
			run := engine.World{Members: c.run}
			world := assumptions{c.assume.Member: c.assume}.world(t.Context(), members, run, &diags)
			if c.problem != "" {
				if diags.ErrorsCount() != 1 || !strings.Contains(diags.Errors()[0].Detail(), c.problem) {
					t.Errorf("got %v, want %s", diags, c.problem)
				}
				if text := diags.Errors()[0].Detail(); strings.ContainsFunc(text, unicode.IsControl) {
					t.Errorf("not printable: %q", text)
				}
				return
			}
			if diags.HasError() {
				t.Fatal(diags)
			}
			got, found := world.Members[c.assume.Member]
			if found != (c.want != nil) {
				t.Fatalf("changes the member: %v", found)
			}
			if c.want != nil {
				if different := cmp.Diff(*c.want, got); different != "" {
					t.Error(different)
				}
			}
			if state, is := world.Assumed[c.assume.Member]; is != c.assumed || is && state != c.assume.State {
				t.Errorf("assumed: %v", world.Assumed)
			}
			if different := cmp.Diff(c.run, run.Members); different != "" {
				t.Errorf("the run has changed: %s", different)
			}
		})
	}
}

// newAssumption returns a configuration that assumes member-1 in a state, with labels or without them.
func newAssumption(t *testing.T, state engine.Assumption, labels map[string]string) tfsdk.Config {
	t.Helper()
	at := path.Root("assume").AtMapKey("member-1")
	config := tfsdk.State(newConfig(t, nil))
	var diags diag.Diagnostics
	if state != "" {
		diags.Append(config.SetAttribute(t.Context(), at.AtName("state"), string(state))...)
	}
	if labels != nil || state == "" {
		diags.Append(config.SetAttribute(t.Context(), at.AtName("labels"), labels)...)
	}
	if diags.HasError() {
		t.Fatal(diags)
	}
	return tfsdk.Config(config)
}

// TestReadAssumption checks that a preview under assumptions states them, compares its picks with the actual ones, and has no digest.
func TestReadAssumption(t *testing.T) {
	t.Parallel()
	fleet := &assumingEngine{fakeEngine: fakeEngine{readErr: engine.ErrNotFound}, members: map[string]*member.Spec{"member-1": {Name: "member-1"}}}
	shared := &session.Session{Engine: fleet, Preview: session.PreviewAuto}
	out, diags := read(t, shared, newAssumption(t, engine.AssumeUnreachable, nil))
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	if !out.Digest.IsNull() {
		t.Errorf("digest %s: no apply can be held to an assumption", out.Digest)
	}
	if len(fleet.worlds) != 2 || len(fleet.worlds[0].Assumed) != 0 || fleet.worlds[1].Assumed["member-1"] != engine.AssumeUnreachable {
		t.Errorf("the engine previews %+v", fleet.worlds)
	}
	if len(shared.World().Assumed) != 0 {
		t.Error("the assumption is in the world of the run")
	}
	contains(t, out.Report.ValueString(), "> **Assumed**: `member-1 is unreachable`. Nothing is changed", "the placement also picks `member-3`, and no longer picks `member-1`.")
}

// TestValidateAssumption checks the errors that need no cluster.
func TestValidateAssumption(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config tfsdk.Config
		want   string
	}{
		"nothing":         {newAssumption(t, "", nil), `assume["member-1"]: it assumes nothing`},
		"gone and labels": {newAssumption(t, engine.AssumeGone, labels), `state = "Gone" cannot be combined`},
		"invalid label":   {newAssumption(t, engine.AssumeNew, map[string]string{"a b": "c"}), `assume["member-1"].labels["a b"]: `},
		"unreachable":     {newAssumption(t, engine.AssumeUnreachable, nil), ""},
		"other labels":    {newAssumption(t, "", labels), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var response datasource.ValidateConfigResponse
			lookup.New(query{}).ValidateConfig(t.Context(), datasource.ValidateConfigRequest{Config: c.config}, &response)
			switch {
			case c.want == "":
				if response.Diagnostics.HasError() {
					t.Errorf("%v", response.Diagnostics)
				}
			case response.Diagnostics.ErrorsCount() != 1 || !strings.Contains(response.Diagnostics.Errors()[0].Detail(), c.want):
				t.Errorf("got %v, want %s", response.Diagnostics, c.want)
			default:
				if with, ok := response.Diagnostics.Errors()[0].(diag.DiagnosticWithPath); !ok || !with.Path().Equal(path.Root("assume")) {
					t.Errorf("%v", response.Diagnostics)
				}
			}
		})
	}
}

// TestAssumeWithoutApproval checks that a preview under assumptions is not held to the approved preview of the resource.
func TestAssumeWithoutApproval(t *testing.T) {
	t.Parallel()
	fleet := &assumingEngine{members: map[string]*member.Spec{"member-1": {Name: "member-1"}}}
	r := &result{preview: newPreview(), options: engine.PreviewOptions{Expected: engine.Expect(newPreview())}, complete: func(*result) {}}
	all := assumptions{"member-1": {Member: "member-1", State: engine.AssumeUnreachable}}
	var diags diag.Diagnostics
	if err := r.assume(t.Context(), &session.Session{Engine: fleet}, all, &diags); err != nil || diags.HasError() {
		t.Fatal(err, diags)
	}
	if len(fleet.expected) != 1 || fleet.expected[0] != nil {
		t.Errorf("the engine expects %v", fleet.expected)
	}
}

// removingEngine previews a removal that deletes one object on member-1, if member-1 is not assumed to be unreachable, and another one on member-2. It
// treats the objects of the removed placement as objects of others.
type removingEngine struct {
	assumingEngine
	removed []engine.Placement
	removal []engine.World
}

func (f *removingEngine) Preview(ctx context.Context, p engine.Placement, options engine.PreviewOptions) (*engine.Preview, error) {
	if _, err := f.assumingEngine.Preview(ctx, p, options); err != nil {
		return nil, err
	}
	return &engine.Preview{Placement: "web", Clusters: []engine.ClusterPreview{
		{Name: "member-1", CheckMethod: engine.CheckOffline, Err: &engine.AssumedError{Member: "member-1", Assumption: engine.AssumeUnreachable}},
		{Name: "member-2", Picked: true, CheckMethod: engine.CheckDryRun, Objects: newObjects(takeover.ActionTakeOver, "b")},
	}}, nil
}

func (f *removingEngine) PreviewDelete(_ context.Context, p engine.Placement, options engine.DeleteOptions) (*engine.Preview, error) {
	f.removed, f.removal = append(f.removed, p), append(f.removal, options.World)
	out := &engine.Preview{Placement: "shop", Clusters: []engine.ClusterPreview{
		{Name: "member-1", CheckMethod: engine.CheckDryRun, Objects: newObjects(takeover.ActionPrune, "a")},
		{Name: "member-2", CheckMethod: engine.CheckDryRun, Objects: newObjects(takeover.ActionPrune, "b")},
	}}
	if assumption := options.World.Assumed["member-1"]; assumption == engine.AssumeUnreachable {
		out.Clusters[0] = engine.ClusterPreview{Name: "member-1", CheckMethod: engine.CheckOffline, Err: &engine.AssumedError{Member: "member-1", Assumption: assumption}}
	}
	return out, nil
}

// TestAssumedRemoval checks that the removal of a replaced placement is previewed under the assumptions, and without the changes of the run.
func TestAssumedRemoval(t *testing.T) {
	t.Parallel()
	fleet := &removingEngine{assumingEngine: assumingEngine{members: map[string]*member.Spec{"member-1": {Name: "member-1"}}}}
	shared := &session.Session{Engine: fleet, Preview: session.PreviewAuto}
	shared.PlanChange(engine.World{Members: map[string]engine.Planned[member.Spec]{"member-9": {Want: &member.Spec{Name: "member-9"}}}})
	removed := engine.Placement{Reference: engine.Reference{Name: "shop"}}
	actual, err := fleet.PreviewDelete(t.Context(), removed, engine.DeleteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	shared.PlanReplacement("web", session.PlannedRemoval{Placement: removed, Preview: actual, Why: report.Renamed})
	shared.PlanPlacement(session.PlannedPlacement{Placement: webPlacement(), Preview: &engine.Preview{Placement: "web", Clusters: []engine.ClusterPreview{
		{Name: "member-1", Picked: true, CheckMethod: engine.CheckDryRun, Objects: newObjects(takeover.ActionCreate, "a")},
	}}})
	config := tfsdk.State(nameOnlyConfig(t))
	if diags := config.SetAttribute(t.Context(), path.Root("assume").AtMapKey("member-1").AtName("state"), string(engine.AssumeUnreachable)); diags.HasError() {
		t.Fatal(diags)
	}
	out, diags := read(t, shared, tfsdk.Config(config))
	if diags.HasError() {
		t.Fatal(diags)
	}
	if len(fleet.removal) != 2 || fleet.removed[1].Name != "shop" {
		t.Fatalf("the removals of %+v are previewed", fleet.removed)
	}
	if world := fleet.removal[1]; world.Assumed["member-1"] != engine.AssumeUnreachable || len(world.Members) > 0 {
		t.Errorf("the removal is previewed in the world %+v", world)
	}
	if world := fleet.worlds[0]; world.Members["member-9"].Want == nil {
		t.Errorf("the creation is previewed in the world %+v", world)
	}
	contains(t, out.Counts.String(), `"prune":1`, `"create":1`, `"take_over":0`)
	if text := out.Report.ValueString(); strings.Contains(text, "Secret web/a") {
		t.Errorf("the report deletes an object on a member that is assumed to be unreachable:\n%s", text)
	}
}
