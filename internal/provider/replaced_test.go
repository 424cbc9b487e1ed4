package provider

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/stagedupdate"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/crp"
)

// replacingEngine is an engine whose hub has another object for each name. The UIDs of these objects are "theirs".
type replacingEngine struct{ fullEngine }

func (replacingEngine) check(known string) error {
	return &engine.ReplacedError{
		Kind: "Thing", Object: engine.Reference{Name: word}, Import: engine.Reference{Name: word}, Cluster: "hub", Known: known, Found: "theirs",
	}
}

func (e replacingEngine) ReadMember(_ context.Context, _ string, prior *engine.Member) (engine.Member, error) {
	return engine.Member{UID: "theirs"}, e.check(prior.UID)
}

func (e replacingEngine) ApplyMember(_ context.Context, _ engine.Member, prior *engine.Member) (engine.Member, error) {
	return engine.Member{UID: "theirs"}, e.check(prior.UID)
}

func (e replacingEngine) DeleteMember(_ context.Context, prior engine.Member) error {
	return e.check(prior.UID)
}

func (e replacingEngine) ReadOverride(_ context.Context, _ override.Reference, prior *engine.Override) (engine.KeptOverride, error) {
	return engine.KeptOverride{Override: engine.Override{UID: "theirs"}}, e.check(prior.UID)
}

func (e replacingEngine) ApplyOverride(_ context.Context, _ engine.Override, prior *engine.Override) (engine.KeptOverride, error) {
	return engine.KeptOverride{Override: engine.Override{UID: "theirs"}}, e.check(prior.UID)
}

func (e replacingEngine) DeleteOverride(_ context.Context, prior engine.Override) error {
	return e.check(prior.UID)
}

func (e replacingEngine) ReadEnvelope(_ context.Context, _ engine.Reference, prior *engine.Envelope) (engine.Envelope, error) {
	return engine.Envelope{Objects: []engine.KeptObject{{UID: "theirs"}}}, e.check(prior.Objects[0].UID)
}

func (e replacingEngine) ApplyEnvelope(_ context.Context, _ envelope.Spec, prior *engine.Envelope) (engine.Envelope, error) {
	return engine.Envelope{Objects: []engine.KeptObject{{UID: "theirs"}}}, e.check(prior.Objects[0].UID)
}

func (e replacingEngine) DeleteEnvelope(_ context.Context, prior engine.Envelope) error {
	return e.check(prior.Objects[0].UID)
}

func (e replacingEngine) ReadUpdateStrategy(_ context.Context, _ engine.Reference, prior *engine.UpdateStrategy) (engine.UpdateStrategy, error) {
	return engine.UpdateStrategy{UID: "theirs"}, e.check(prior.UID)
}

func (e replacingEngine) ApplyUpdateStrategy(_ context.Context, _ engine.UpdateStrategy, prior *engine.UpdateStrategy) (engine.UpdateStrategy, error) {
	return engine.UpdateStrategy{UID: "theirs"}, e.check(prior.UID)
}

func (e replacingEngine) DeleteUpdateStrategy(_ context.Context, prior engine.UpdateStrategy) error {
	return e.check(prior.UID)
}

func (e replacingEngine) ReadUpdateRun(_ context.Context, _ engine.Reference, prior *engine.UpdateRun) (engine.UpdateRun, stagedupdate.Status, error) {
	return engine.UpdateRun{UID: "theirs"}, stagedupdate.Status{}, e.check(prior.UID)
}

func (e replacingEngine) ApplyUpdateRun(_ context.Context, r engine.UpdateRun, _ engine.RunOptions) (engine.UpdateRun, *stagedupdate.Status, error) {
	return r, nil, e.check(r.UID)
}

func (e replacingEngine) DeleteUpdateRun(_ context.Context, prior engine.UpdateRun) error {
	return e.check(prior.UID)
}

func (e replacingEngine) ReadDisruptionBudget(_ context.Context, _ string, prior *engine.DisruptionBudget) (engine.DisruptionBudget, error) {
	return engine.DisruptionBudget{UID: "theirs"}, e.check(prior.UID)
}

func (e replacingEngine) ApplyDisruptionBudget(
	_ context.Context, _ engine.DisruptionBudget, prior *engine.DisruptionBudget,
) (engine.DisruptionBudget, error) {
	return engine.DisruptionBudget{UID: "theirs"}, e.check(prior.UID)
}

func (e replacingEngine) DeleteDisruptionBudget(_ context.Context, prior engine.DisruptionBudget) error {
	return e.check(prior.UID)
}

func (e replacingEngine) ReadPlacement(_ context.Context, p engine.Placement) (*engine.Recorded, error) {
	return nil, e.check(p.KnownUID())
}

func (e replacingEngine) Preview(_ context.Context, p engine.Placement, _ engine.PreviewOptions) (*engine.Preview, error) {
	return nil, e.check(p.KnownUID())
}

func (e replacingEngine) PreviewDelete(_ context.Context, p engine.Placement, _ engine.DeleteOptions) (*engine.Preview, error) {
	return nil, e.check(p.KnownUID())
}

func (e replacingEngine) ApplyPlacement(_ context.Context, p engine.Placement, _ engine.ApplyOptions) (*engine.Result, error) {
	return nil, e.check(p.KnownUID())
}

func (e replacingEngine) DeletePlacement(_ context.Context, p engine.Placement, _ engine.DeleteOptions) (*engine.Result, error) {
	return nil, e.check(p.KnownUID())
}

// TestReplacedObject checks that a refresh of an object that another user recreated warns and does not change the state. The private state keeps the
// known UID, so that a change and a destroy return the same error.
func TestReplacedObject(t *testing.T) {
	server := newServer(t, replacingEngine{})
	memory := privateOf(t, map[string]any{
		"uid": "ours", "objects": []engine.KeptObject{{UID: "ours"}}, "status": placement.Status{UID: "ours"},
	})
	for _, newOne := range New("test", nil)().Resources(t.Context()) {
		r := newOne()
		var metadata resource.MetadataResponse
		r.Metadata(t.Context(), resource.MetadataRequest{ProviderTypeName: "fleet"}, &metadata)
		name := metadata.TypeName
		if name == "fleet_workload" {
			continue // a copy of a workload, not an object on a hub
		}
		t.Run(name, func(t *testing.T) {
			state, changed := stateOf(t, name, r)
			read, err := server.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{TypeName: name, CurrentState: encode(t, state), Private: memory})
			requireSuccess(t, err, read.Diagnostics)
			if len(read.Diagnostics) != 1 || !strings.Contains(read.Diagnostics[0].Summary, "was deleted and recreated outside of Terraform") {
				t.Errorf("the refresh reports %s", formatDiagnostics(read.Diagnostics))
			}
			requireReplaced(t, "the refresh", read.Diagnostics)
			after, err := read.NewState.Unmarshal(state.Type())
			if err != nil || !after.Equal(state) {
				difference, _ := after.Diff(state)
				t.Errorf("the refresh changes the state: %v, %v", difference, err)
			}
			for what, planned := range map[string]tftypes.Value{"a change": changed, "a destroy": tftypes.NewValue(state.Type(), nil)} {
				applied, err := server.ApplyResourceChange(t.Context(), &tfprotov6.ApplyResourceChangeRequest{
					TypeName: name, PriorState: encode(t, state), PlannedState: encode(t, planned), Config: encode(t, planned), PlannedPrivate: read.Private,
				})
				if err != nil {
					t.Fatal(err)
				}
				requireReplaced(t, what, applied.Diagnostics)
				if left, err := applied.NewState.Unmarshal(state.Type()); err != nil || left.IsNull() {
					t.Errorf("%s: the resource leaves the state, %v", what, err)
				}
			}
		})
	}
}

// stateOf returns a state of a resource, and a planned change of it.
func stateOf(t *testing.T, name string, r resource.Resource) (state, changed tftypes.Value) {
	t.Helper()
	var described resource.SchemaResponse
	r.Schema(t.Context(), resource.SchemaRequest{}, &described)
	state = completeRaw(t, described.Schema)
	switch name {
	case "fleet_member_cluster":
		state = withValue(t, state, ".adopt_existing", false)
	case "fleet_crp":
		state = withValue(t, withValue(t, state, ".expected_preview", nil), ".manifests_wo", nil)
		state = withValue(t, state, ".manifests."+word, "{apiVersion: v1, kind: Namespace, metadata: {name: a}}")
		return state, withValue(t, state, ".phase", tftypes.UnknownValue)
	case "fleet_resource_placement":
		state = withValue(t, state, ".expected_preview", nil)
		return state, withValue(t, state, ".phase", tftypes.UnknownValue)
	case "fleet_disruption_budget":
		return state, withValue(t, state, ".placement_name", "other")
	}
	return state, withValue(t, state, ".name", "other")
}

// TestPlanOfReplacedPlacement checks that a plan without a change of a replaced placement is empty, that a plan with a change returns the error, and
// that the plan of a destroy does not.
func TestPlanOfReplacedPlacement(t *testing.T) {
	state, _ := stateOf(t, "fleet_crp", crp.New())
	state = withValue(t, state, ".strategy.apply_strategy.comparison_option", "PartialComparison")
	memory := privateOf(t, map[string]any{"status": placement.Status{UID: "ours", Clusters: map[string]placement.ClusterStatus{"a": {}}}})
	plan := func(proposed tftypes.Value) (planned tftypes.Value, diags []*tfprotov6.Diagnostic) {
		t.Helper()
		config := proposed
		if !proposed.IsNull() {
			config = withValue(t, placementConfig(t, proposed), ".manifest_digests", nil)
		}
		response, err := newServer(t, replacingEngine{}).PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
			TypeName: "fleet_crp", PriorState: encode(t, state), ProposedNewState: encode(t, proposed), Config: encode(t, config), PriorPrivate: memory,
		})
		if err != nil {
			t.Fatal(err)
		}
		if planned, err = response.PlannedState.Unmarshal(state.Type()); err != nil {
			t.Fatal(err)
		}
		return planned, response.Diagnostics
	}
	if planned, diags := plan(state); !planned.Equal(state) || len(diags) > 0 {
		difference, _ := planned.Diff(state)
		t.Errorf("a plan without a change: %v, %s", difference, formatDiagnostics(diags))
	}
	_, diags := plan(withValue(t, state, ".revision_history_limit", 2))
	requireReplaced(t, "the plan of a change", diags)
	if _, diags := plan(tftypes.NewValue(state.Type(), nil)); len(diags) > 0 {
		t.Errorf("the plan of a destroy: %s", formatDiagnostics(diags))
	}
}

// formatDiagnostics formats diagnostics as lines.
func formatDiagnostics(diags []*tfprotov6.Diagnostic) string {
	var out []string
	for _, d := range diags {
		out = append(out, d.Severity.String()+" "+d.Summary+": "+d.Detail)
	}
	return strings.Join(out, "\n")
}

// requireReplaced requires a diagnostic with both UIDs and the next step.
func requireReplaced(t *testing.T, what string, diags []*tfprotov6.Diagnostic) {
	t.Helper()
	for _, d := range diags {
		if strings.Contains(d.Detail, "the state has the UID ours, the object has the UID theirs") && strings.Contains(d.Detail, "terraform state rm") {
			return
		}
	}
	t.Errorf("%s reports %s", what, formatDiagnostics(diags))
}

// privateOf encodes a private state as Terraform stores it.
func privateOf(t *testing.T, values map[string]any) []byte {
	t.Helper()
	out := map[string][]byte{}
	for key, value := range values {
		data, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		out[key] = data
	}
	data, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
