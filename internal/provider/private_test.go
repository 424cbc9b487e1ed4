package provider

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/crp"
)

// recordingEngine is an engine that records the placement of the last call.
type recordingEngine struct {
	idleEngine
	received *engine.Placement
}

func (e recordingEngine) Preview(ctx context.Context, p engine.Placement, options engine.PreviewOptions) (*engine.Preview, error) {
	*e.received = p
	return e.idleEngine.Preview(ctx, p, options)
}

func (e recordingEngine) ApplyPlacement(_ context.Context, p engine.Placement, _ engine.ApplyOptions) (*engine.Result, error) {
	*e.received = p
	return &engine.Result{Status: knownStatus(p)}, nil
}

func (e recordingEngine) ReadPlacement(ctx context.Context, p engine.Placement) (*engine.Recorded, error) {
	*e.received = p
	return e.idleEngine.ReadPlacement(ctx, p)
}

func (e recordingEngine) PreviewDelete(_ context.Context, p engine.Placement, _ engine.DeleteOptions) (*engine.Preview, error) {
	*e.received = p
	return &engine.Preview{}, nil
}

func (e recordingEngine) DeletePlacement(_ context.Context, p engine.Placement, _ engine.DeleteOptions) (*engine.Result, error) {
	*e.received = p
	return &engine.Result{}, nil
}

// knownStatus returns the status that the engine returns for every placement.
func knownStatus(p engine.Placement) placement.Status {
	recorded, _ := fullEngine{}.ReadPlacement(context.Background(), p)
	return recorded.Status
}

// TestWhatIsRememberedOfAPlacement checks that every operation receives the identity that a create has given the placement, and the complete last
// status.
func TestWhatIsRememberedOfAPlacement(t *testing.T) {
	var received engine.Placement
	server := newServer(t, recordingEngine{received: &received})
	var described resource.SchemaResponse
	crp.New().Schema(t.Context(), resource.SchemaRequest{}, &described)
	raw := withValue(t, completeRaw(t, described.Schema), ".manifests."+word, "{apiVersion: v1, kind: Namespace, metadata: {name: a}}")
	raw = withValue(t, withValue(t, raw, ".expected_preview", nil), ".strategy.apply_strategy.comparison_option", "PartialComparison")
	null, config := tftypes.NewValue(raw.Type(), nil), placementConfig(t, raw)

	state, private := applyResource(t, server, null, withValue(t, raw, ".phase", tftypes.UnknownValue), config, nil)
	id := received.ID
	if len(id) != 36 || received.Prior != nil {
		t.Fatalf("a create receives the identity %q and the status %v", id, received.Prior)
	}
	status := knownStatus(engine.Placement{})
	check := func(operation string) {
		t.Helper()
		if received.ID != id || !reflect.DeepEqual(received.Prior, &status) {
			t.Errorf("%s receives the identity %q instead of %q, and the status %+v", operation, received.ID, id, received.Prior)
		}
		received = engine.Placement{}
	}
	read, err := server.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{
		TypeName: "fleet_crp", CurrentState: encode(t, state), Private: private,
	})
	requireSuccess(t, err, read.Diagnostics)
	check("a read")
	private = read.Private
	state, private = applyResource(t, server, state, withValue(t, raw, ".phase", tftypes.UnknownValue), config, private)
	check("an update")
	planned, err := server.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: "fleet_crp", PriorState: encode(t, state), ProposedNewState: encode(t, null), Config: encode(t, null), PriorPrivate: private,
	})
	requireSuccess(t, err, planned.Diagnostics)
	check("the plan of a destroy")
	applyResource(t, server, state, null, null, planned.PlannedPrivate)
	check("a destroy")
}

// TestIdentityOfAnImportedPlacement checks that an imported placement takes the identity from its record.
func TestIdentityOfAnImportedPlacement(t *testing.T) {
	var received engine.Placement
	server := newServer(t, recordingEngine{received: &received})
	imported, err := server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: "fleet_crp", ID: "web"})
	requireSuccess(t, err, imported.Diagnostics)
	private, state := imported.ImportedResources[0].Private, imported.ImportedResources[0].State
	for _, want := range []string{"", word} {
		read, err := server.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{TypeName: "fleet_crp", CurrentState: state, Private: private})
		requireSuccess(t, err, read.Diagnostics)
		if received.ID != want || (received.Prior == nil) != (want == "") {
			t.Errorf("a read receives the identity %q instead of %q, and the status %v", received.ID, want, received.Prior)
		}
		private, state = read.Private, read.NewState
	}
}

// TestAnotherAddress checks that a placement with another address, without a moved block, is not destroyed, whichever of the two Terraform plans
// first.
func TestAnotherAddress(t *testing.T) {
	var described resource.SchemaResponse
	crp.New().Schema(t.Context(), resource.SchemaRequest{}, &described)
	raw := withValue(t, completeRaw(t, described.Schema), ".manifests."+word, "{apiVersion: v1, kind: Namespace, metadata: {name: a}}")
	raw = withValue(t, withValue(t, raw, ".expected_preview", nil), ".strategy.apply_strategy.comparison_option", "PartialComparison")
	null, config := tftypes.NewValue(raw.Type(), nil), placementConfig(t, raw)
	for _, destroyFirst := range []bool{true, false} {
		server := newServer(t, recordingEngine{received: new(engine.Placement)})
		read, err := server.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{TypeName: "fleet_crp", CurrentState: encode(t, raw)})
		requireSuccess(t, err, read.Diagnostics)
		plan := func(prior, proposed, config tftypes.Value) []*tfprotov6.Diagnostic {
			t.Helper()
			planned, err := server.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
				TypeName: "fleet_crp", PriorState: encode(t, prior), ProposedNewState: encode(t, proposed), Config: encode(t, config),
			})
			if err != nil {
				t.Fatal(err)
			}
			return slices.DeleteFunc(planned.Diagnostics, func(d *tfprotov6.Diagnostic) bool { return d.Severity != tfprotov6.DiagnosticSeverityError })
		}
		destroy := func() []*tfprotov6.Diagnostic { return plan(raw, null, null) }
		create := func() []*tfprotov6.Diagnostic {
			return plan(null, withValue(t, raw, ".phase", tftypes.UnknownValue), config)
		}
		first, second := create, destroy
		if destroyFirst {
			first, second = destroy, create
		}
		if found := first(); len(found) > 0 {
			t.Fatalf("%v: %+v", destroyFirst, found[0])
		}
		if found := second(); len(found) != 1 || !strings.Contains(found[0].Detail, "moved {") {
			t.Errorf("%v: %+v", destroyFirst, found)
		}
	}
}

// applyResource applies a plan and returns the state and the private state.
func applyResource(
	t *testing.T, server tfprotov6.ProviderServer, prior, planned, config tftypes.Value, private []byte,
) (state tftypes.Value, newPrivate []byte) {
	t.Helper()
	response, err := server.ApplyResourceChange(t.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: "fleet_crp", PriorState: encode(t, prior), PlannedState: encode(t, planned), Config: encode(t, config), PlannedPrivate: private,
	})
	requireSuccess(t, err, response.Diagnostics)
	state, err = response.NewState.Unmarshal(config.Type())
	if err != nil {
		t.Fatal(err)
	}
	return state, response.Private
}
