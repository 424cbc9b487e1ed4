package placementpreview

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/schedule"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/lookup"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// fakeEngine is an engine that returns a fixed result and records its arguments.
type fakeEngine struct {
	engine.Engine
	preview     *engine.Preview
	recorded    *engine.Recorded
	readErr     error
	limitations []engine.Limitation
	input       engine.Placement
	options     engine.PreviewOptions
}

func (f *fakeEngine) CheckPlacement(engine.Placement) []engine.Limitation { return f.limitations }

func (*fakeEngine) CheckChange(before, after placement.Spec) []placement.Problem {
	return placement.ValidateChange(before, after)
}

func (f *fakeEngine) ReadPlacement(context.Context, engine.Placement) (*engine.Recorded, error) {
	return f.recorded, f.readErr
}

func (f *fakeEngine) Preview(_ context.Context, p engine.Placement, options engine.PreviewOptions) (*engine.Preview, error) {
	f.input, f.options = p, options
	return f.preview, nil
}

func newPreview() *engine.Preview {
	deployment := manifest.Identifier{Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "web", Name: "web"}
	conflict := engine.ObjectPreview{
		Identifier: deployment, Action: takeover.ActionLeaveAlone, Obstacle: takeover.ObstacleMode, Exists: true, Reason: "NotTakenOver", Message: "m", Mark: "abc",
		Owner: takeover.Owner{Kind: takeover.OwnerHelm, Name: "web/web"},
		Differences: []diff.Difference{{
			Path: "/spec/replicas", InHub: int64(3), HasHub: true, Manager: diff.Manager{Name: "helm"},
		}, {
			Field: "spec.image", Path: "/spec/image", InHub: "a", HasHub: true, InMember: "b", HasMember: true,
		}},
		ObservedDiffs: []placement.PatchDetail{{Path: "/spec/replicas", ValueInHub: "3"}},
	}
	drifted := engine.ObjectPreview{
		Identifier: deployment, Action: takeover.ActionLeaveDrifted, Exists: true, Owned: true, Reason: "FoundDrifts",
		ObservedDrifts: []placement.PatchDetail{{Path: "/spec/replicas", ValueInMember: "1", ValueInHub: "3"}},
	}
	created := engine.ObjectPreview{Identifier: deployment, Action: takeover.ActionCreate}
	created.Envelope = &manifest.Envelope{Name: "e", Namespace: "web", Type: "ConfigMap"}
	restarted := engine.ObjectPreview{Identifier: deployment, Action: takeover.ActionTakeOver, Exists: true, Restart: workload.RestartInPart}
	return &engine.Preview{Placement: "web", Fulfilled: true, EmptySelectors: []int{1}, Clusters: []engine.ClusterPreview{
		{Name: "member-1", Picked: true, Score: &schedule.Score{Affinity: 20}, CheckMethod: engine.CheckDryRun, Objects: []engine.ObjectPreview{conflict, created}},
		{Name: "member-2", Picked: true, CheckMethod: engine.CheckReadOnly, Objects: []engine.ObjectPreview{drifted, restarted}},
		{Name: "member-3", CheckMethod: engine.CheckOffline, Err: errors.New("no route"), Objects: []engine.ObjectPreview{{Identifier: deployment, Action: takeover.ActionNone}}},
	}}
}

// newConfig returns a configuration with a name, a manifest and other values by path.
func newConfig(t *testing.T, values map[string]path.Path) tfsdk.Config {
	t.Helper()
	described, err := query{}.Schema()
	if err != nil {
		t.Fatal(err)
	}
	state := tfsdk.State{Schema: described, Raw: tftypes.NewValue(described.Type().TerraformType(t.Context()), nil)}
	diags := state.SetAttribute(t.Context(), path.Root("name"), "web")
	diags.Append(state.SetAttribute(t.Context(), path.Root("manifests"), map[string]string{
		"a.yaml": "{apiVersion: v1, kind: Namespace, metadata: {name: web}}",
	})...)
	for value, at := range values {
		diags.Append(state.SetAttribute(t.Context(), at, value)...)
	}
	if diags.HasError() {
		t.Fatal(diags)
	}
	return tfsdk.Config{Schema: described, Raw: state.Raw}
}

func read(t *testing.T, shared *session.Session, config tfsdk.Config) (model, diag.Diagnostics) {
	t.Helper()
	d := lookup.New(query{})
	d.Configure(t.Context(), datasource.ConfigureRequest{ProviderData: shared}, &datasource.ConfigureResponse{})
	response := datasource.ReadResponse{State: tfsdk.State{Schema: config.Schema, Raw: tftypes.NewValue(config.Raw.Type(), nil)}}
	d.Read(t.Context(), datasource.ReadRequest{Config: config}, &response)
	var out model
	if !response.State.Raw.IsNull() {
		response.Diagnostics.Append(response.State.Get(t.Context(), &out)...)
	}
	return out, response.Diagnostics
}

func TestRead(t *testing.T) {
	fleet := &fakeEngine{preview: newPreview(), readErr: engine.ErrNotFound}
	at := path.Root("strategy").AtName("apply_strategy").AtName("when_to_take_over")
	out, diags := read(t, &session.Session{Engine: fleet, Preview: session.PreviewOff}, newConfig(t, map[string]path.Path{"Never": at}))
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	if apply := fleet.input.Spec.Strategy.ApplyStrategy; apply.WhenToTakeOver != "Never" || len(fleet.input.Manifests) != 1 {
		t.Errorf("the engine received %+v", fleet.input)
	}
	for what, c := range map[string]struct {
		value any
		want  []string
	}{
		"clusters": {out.Clusters, []string{`"check_method":"dry_run"`, `"affinity_score":20`, `"affinity_score":<null>`, `"error":"no route"`, `"in_member":"\"b\""`,
			`"in_member":<null>`, `"field":"/spec/replicas"`, `"field":"spec.image"`, `"in_hub":"3"`, `"text":"Helm release web/web"`, `"type":"ConfigMap"`,
			`"value_in_hub":"3"`, `"action":"create"`,
			`"restart":"rollout"`, `"restart":""`}},
		"conflicts": {out.Conflicts, []string{`"cluster":"member-1"`, `"reason":"NotTakenOver"`, `"cluster":"member-2"`}},
		"counts":    {out.Counts, []string{`"create":1`, `"leave_alone":1`, `"leave_drifted":1`, `"none":0`, `"not_checked":1`, `"restart":1`, `"take_over":1`}},
		"empty":     {out.EmptySelectors, []string{`[1]`}},
		"report":    {out.Report, []string{"### Placement `web`", "NotTakenOver"}},
	} {
		text := c.value.(interface{ String() string }).String()
		for _, want := range c.want {
			if what == "report" {
				text = out.Report.ValueString()
			}
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %s in %s", what, want, text)
			}
		}
	}
	if n := len(out.Conflicts.Elements()); n != 2 {
		t.Errorf("%d conflicts: a drifted object is none", n)
	}
	if !out.Fulfilled.ValueBool() {
		t.Error("not fulfilled")
	}
	expected, err := engine.ParseExpectation(out.Digest.ValueString())
	if err != nil {
		t.Fatal(err)
	}
	key := newPreview().Clusters[0].Objects[0].Key()
	if problem := expected.Contradicts("member-2", key, ""); problem != "" {
		t.Errorf("the digest contradicts the takeover that was found: %s", problem)
	}
	if expected.Contradicts("member-1", key, "") == "" {
		t.Error("the digest holds a takeover that was not found")
	}
}

// TestReadPrior checks that an existing placement is previewed as a change. A placement that does not exist, or could not be read, is previewed as a creation.
func TestReadPrior(t *testing.T) {
	known := &engine.Recorded{Status: placement.Status{HubUID: "uid"}}
	silent := &engine.UnreachableError{Cluster: "member-3", Err: errors.New("no route")}
	for name, c := range map[string]struct {
		fleet    *fakeEngine
		create   bool
		warnings int
	}{
		"new":       {&fakeEngine{readErr: engine.ErrNotFound}, true, 0},
		"existing":  {&fakeEngine{recorded: known}, false, 0},
		"not known": {&fakeEngine{readErr: silent}, true, 1},
	} {
		t.Run(name, func(t *testing.T) {
			c.fleet.preview = newPreview()
			shared := &session.Session{Engine: c.fleet, Preview: session.PreviewAuto}
			shared.PlanChange(engine.World{Members: map[string]engine.Planned[member.Spec]{"member-9": {Want: &member.Spec{Name: "member-9"}}}})
			_, diags := read(t, shared, newConfig(t, nil))
			if diags.HasError() || diags.WarningsCount() != c.warnings {
				t.Errorf("%v", diags)
			}
			if input := c.fleet.input; c.fleet.options.World.Members["member-9"].Want == nil || (input.Prior == nil) != c.create {
				t.Errorf("the engine received %+v, %+v", input, c.fleet.options)
			}
		})
	}
}

func TestReadErrors(t *testing.T) {
	fleet := func() *fakeEngine { return &fakeEngine{preview: newPreview(), readErr: engine.ErrNotFound} }
	refusing := fleet()
	refusing.limitations = []engine.Limitation{{Path: placement.At("strategy").Attribute("type"), Message: "no External"}}
	for name, c := range map[string]struct {
		session *session.Session
		at      path.Path
		want    string
	}{
		"no engine":   {&session.Session{}, path.Empty(), "not known yet"},
		"unsupported": {&session.Session{Engine: refusing}, path.Root("strategy"), "strategy.type"},
		"required":    {&session.Session{Engine: fleet(), Preview: session.PreviewRequired}, path.Root("name"), "no route"},
	} {
		t.Run(name, func(t *testing.T) {
			_, diags := read(t, c.session, newConfig(t, nil))
			if diags.ErrorsCount() != 1 {
				t.Fatalf("%v", diags)
			}
			err := diags.Errors()[0]
			if !strings.Contains(err.Summary()+err.Detail(), c.want) {
				t.Errorf("%s: %s", err.Summary(), err.Detail())
			}
			if with, ok := err.(diag.DiagnosticWithPath); ok && !with.Path().Equal(c.at) {
				t.Errorf("at %s", with.Path())
			}
		})
	}
}

func TestValidateConfig(t *testing.T) {
	at := path.Root("policy").AtName("placement_type")
	var response datasource.ValidateConfigResponse
	lookup.New(query{}).ValidateConfig(t.Context(), datasource.ValidateConfigRequest{Config: newConfig(t, map[string]path.Path{"PickN": at})}, &response)
	if response.Diagnostics.ErrorsCount() != 1 {
		t.Fatalf("%v", response.Diagnostics)
	}
	with, ok := response.Diagnostics.Errors()[0].(diag.DiagnosticWithPath)
	if !ok || !with.Path().Equal(path.Root("policy")) || !strings.Contains(with.Detail(), "policy.number_of_clusters: ") {
		t.Errorf("%v", response.Diagnostics)
	}
}

// TestValidateConfigUnknown checks that unknown values are validated only once they are known.
func TestValidateConfigUnknown(t *testing.T) {
	config := newConfig(t, nil)
	state := tfsdk.State(config)
	if diags := state.SetAttribute(t.Context(), path.Root("policy").AtName("placement_type"), types.StringUnknown()); diags.HasError() {
		t.Fatal(diags)
	}
	var response datasource.ValidateConfigResponse
	lookup.New(query{}).ValidateConfig(t.Context(), datasource.ValidateConfigRequest{Config: tfsdk.Config(state)}, &response)
	if response.Diagnostics.HasError() {
		t.Errorf("%v", response.Diagnostics)
	}
}
