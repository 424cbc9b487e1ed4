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

// listening is an engine that remembers what it was told of a placement last.
type listening struct {
	idle
	told *engine.Placement
}

func (e listening) Preview(ctx context.Context, p engine.Placement, options engine.PreviewOptions) (*engine.Preview, error) {
	*e.told = p
	return e.idle.Preview(ctx, p, options)
}

func (e listening) ApplyPlacement(_ context.Context, p engine.Placement, _ engine.ApplyOptions) (*engine.Result, error) {
	*e.told = p
	return &engine.Result{Status: known(p)}, nil
}

func (e listening) ReadPlacement(ctx context.Context, p engine.Placement) (*engine.Recorded, error) {
	*e.told = p
	return e.idle.ReadPlacement(ctx, p)
}

func (e listening) PreviewDelete(_ context.Context, p engine.Placement, _ engine.DeleteOptions) (*engine.Preview, error) {
	*e.told = p
	return &engine.Preview{}, nil
}

func (e listening) DeletePlacement(_ context.Context, p engine.Placement, _ engine.DeleteOptions) (*engine.Result, error) {
	*e.told = p
	return &engine.Result{}, nil
}

// known is the status that the engine has of everything.
func known(p engine.Placement) placement.Status {
	recorded, _ := full{}.ReadPlacement(context.Background(), p)
	return recorded.Status
}

// Every operation is told the identity that the placement was given when it was created, and the whole status of the last time.
func TestWhatIsRememberedOfAPlacement(t *testing.T) {
	var told engine.Placement
	server := configured(t, listening{told: &told})
	var described resource.SchemaResponse
	crp.New().Schema(t.Context(), resource.SchemaRequest{}, &described)
	raw := edited(t, completeRaw(t, described.Schema), ".manifests."+word, "{apiVersion: v1, kind: Namespace, metadata: {name: a}}")
	raw = edited(t, edited(t, raw, ".expected_preview", nil), ".strategy.apply_strategy.comparison_option", "PartialComparison")
	null, config := tftypes.NewValue(raw.Type(), nil), placementConfig(t, raw)

	state, private := applied(t, server, null, edited(t, raw, ".phase", tftypes.UnknownValue), config, nil)
	id := told.ID
	if len(id) != 36 || told.Prior != nil {
		t.Fatalf("a create is told the identity %q and the status %v", id, told.Prior)
	}
	status := known(engine.Placement{})
	check := func(operation string) {
		t.Helper()
		if told.ID != id || !reflect.DeepEqual(told.Prior, &status) {
			t.Errorf("%s is told the identity %q instead of %q, and the status %+v", operation, told.ID, id, told.Prior)
		}
		told = engine.Placement{}
	}
	read, err := server.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{
		TypeName: "fleet_crp", CurrentState: dynamic(t, state), Private: private,
	})
	succeeded(t, err, read.Diagnostics)
	check("a read")
	private = read.Private
	state, private = applied(t, server, state, edited(t, raw, ".phase", tftypes.UnknownValue), config, private)
	check("an update")
	planned, err := server.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: "fleet_crp", PriorState: dynamic(t, state), ProposedNewState: dynamic(t, null), Config: dynamic(t, null), PriorPrivate: private,
	})
	succeeded(t, err, planned.Diagnostics)
	check("the plan of a destroy")
	applied(t, server, state, null, null, planned.PlannedPrivate)
	check("a destroy")
}

// What is imported takes the identity from its record.
func TestIdentityOfAnImportedPlacement(t *testing.T) {
	var told engine.Placement
	server := configured(t, listening{told: &told})
	imported, err := server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: "fleet_crp", ID: "web"})
	succeeded(t, err, imported.Diagnostics)
	private, state := imported.ImportedResources[0].Private, imported.ImportedResources[0].State
	for _, want := range []string{"", word} {
		read, err := server.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{TypeName: "fleet_crp", CurrentState: state, Private: private})
		succeeded(t, err, read.Diagnostics)
		if told.ID != want || (told.Prior == nil) != (want == "") {
			t.Errorf("a read is told the identity %q instead of %q, and the status %v", told.ID, want, told.Prior)
		}
		private, state = read.Private, read.NewState
	}
}

// A placement that has another address, without being said to have moved, is not destroyed, whichever of the two Terraform plans first.
func TestAnotherAddress(t *testing.T) {
	var described resource.SchemaResponse
	crp.New().Schema(t.Context(), resource.SchemaRequest{}, &described)
	raw := edited(t, completeRaw(t, described.Schema), ".manifests."+word, "{apiVersion: v1, kind: Namespace, metadata: {name: a}}")
	raw = edited(t, edited(t, raw, ".expected_preview", nil), ".strategy.apply_strategy.comparison_option", "PartialComparison")
	null, config := tftypes.NewValue(raw.Type(), nil), placementConfig(t, raw)
	for _, destroyFirst := range []bool{true, false} {
		server := configured(t, listening{told: new(engine.Placement)})
		read, err := server.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{TypeName: "fleet_crp", CurrentState: dynamic(t, raw)})
		succeeded(t, err, read.Diagnostics)
		plan := func(prior, proposed, config tftypes.Value) []*tfprotov6.Diagnostic {
			t.Helper()
			planned, err := server.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
				TypeName: "fleet_crp", PriorState: dynamic(t, prior), ProposedNewState: dynamic(t, proposed), Config: dynamic(t, config),
			})
			if err != nil {
				t.Fatal(err)
			}
			return slices.DeleteFunc(planned.Diagnostics, func(d *tfprotov6.Diagnostic) bool { return d.Severity != tfprotov6.DiagnosticSeverityError })
		}
		destroy := func() []*tfprotov6.Diagnostic { return plan(raw, null, null) }
		create := func() []*tfprotov6.Diagnostic {
			return plan(null, edited(t, raw, ".phase", tftypes.UnknownValue), config)
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

// applied is what an apply leaves in the state and beside it.
func applied(
	t *testing.T, server tfprotov6.ProviderServer, prior, planned, config tftypes.Value, private []byte,
) (state tftypes.Value, newPrivate []byte) {
	t.Helper()
	response, err := server.ApplyResourceChange(t.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: "fleet_crp", PriorState: dynamic(t, prior), PlannedState: dynamic(t, planned), Config: dynamic(t, config), PlannedPrivate: private,
	})
	succeeded(t, err, response.Diagnostics)
	state, err = response.NewState.Unmarshal(config.Type())
	if err != nil {
		t.Fatal(err)
	}
	return state, response.Private
}
