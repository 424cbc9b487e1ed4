package provider

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/disruptionbudget"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/stagedupdate"
)

// minimalEngine is the engine of a hub that was installed with only the APIs that placements need.
type minimalEngine struct{ idleEngine }

func notServed() error {
	return &engine.NotServedError{Hub: "hub", Kind: "ClusterStagedUpdateRun.placement.kubernetes-fleet.io", Fleet: true}
}

func (minimalEngine) RequireStagedUpdates(context.Context, string) error { return notServed() }
func (minimalEngine) DisruptionsServed(context.Context) error            { return notServed() }

// TestPlanRefusesWhatTheHubDoesNotServe checks that a plan returns an error at the resource for an API that the hub does not serve.
func TestPlanRefusesWhatTheHubDoesNotServe(t *testing.T) {
	server := newServer(t, minimalEngine{})
	for name, c := range map[string]struct {
		resource resource.Resource
		at       string
	}{
		"fleet_staged_update_strategy": {stagedupdate.NewStrategy(), "name"}, "fleet_staged_update_run": {stagedupdate.NewRun(), "name"},
		"fleet_disruption_budget": {disruptionbudget.New(), "placement_name"},
	} {
		var described resource.SchemaResponse
		c.resource.Schema(t.Context(), resource.SchemaRequest{}, &described)
		proposed := completeRaw(t, described.Schema)
		response, err := server.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
			TypeName: name, PriorState: encode(t, tftypes.NewValue(proposed.Type(), nil)), ProposedNewState: encode(t, proposed), Config: encode(t, proposed),
		})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(response.Diagnostics, func(d *tfprotov6.Diagnostic) bool {
			return d.Severity == tfprotov6.DiagnosticSeverityError && strings.Contains(d.Detail, "does not serve") && d.Attribute.String() == `AttributeName("`+c.at+`")`
		}) {
			t.Errorf("%s: %v", name, response.Diagnostics)
		}
	}
	actions, is := server.(interface {
		PlanAction(ctx context.Context, request *tfprotov6.PlanActionRequest) (*tfprotov6.PlanActionResponse, error)
	})
	if !is {
		t.Fatal("the provider has no actions")
	}
	for name, at := range map[string]string{"fleet_stage_approval": "run_name", "fleet_eviction": "placement_name"} {
		schema, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
		if err != nil {
			t.Fatal(err)
		}
		config := completeValue(schema.ActionSchemas[name].Schema.ValueType(), "")
		response, err := actions.PlanAction(t.Context(), &tfprotov6.PlanActionRequest{ActionType: name, Config: encode(t, config)})
		if err != nil {
			t.Fatal(err)
		}
		if len(response.Diagnostics) != 1 || !strings.Contains(response.Diagnostics[0].Detail, "does not serve") ||
			response.Diagnostics[0].Attribute.String() != `AttributeName("`+at+`")` {
			t.Errorf("%s: %v", name, response.Diagnostics)
		}
	}
}

// TestRunIsFollowedOtherwise checks that the status stays known in a plan that changes only arguments for following a run, because they are not sent to
// the hub. If the requested state changes, the status becomes unknown.
func TestRunIsFollowedOtherwise(t *testing.T) {
	var described resource.SchemaResponse
	stagedupdate.NewRun().Schema(t.Context(), resource.SchemaRequest{}, &described)
	prior := withValue(t, completeRaw(t, described.Schema), ".state", "Run")
	for at, value := range map[string]any{".wait": nil, ".timeouts.create": "2h", ".state": "Stop"} {
		config := withValue(t, withValue(t, prior, ".status", nil), at, value)
		planned := planResource(t, "fleet_staged_update_run", prior, withValue(t, prior, at, value), config)
		if status := attributeOf(t, planned, "status"); status.IsKnown() != (at != ".state") || planned.Equal(prior) {
			t.Errorf("%s: the planned status is %s", at, status)
		}
	}
}

// TestFailedRunIsReplaced checks that a failed run is replaced even if nothing else has changed: a hub does not resume it.
func TestFailedRunIsReplaced(t *testing.T) {
	var described resource.SchemaResponse
	stagedupdate.NewRun().Schema(t.Context(), resource.SchemaRequest{}, &described)
	for phase, replaced := range map[string]bool{"Failed": true, "Waiting": false} {
		prior := withValue(t, withValue(t, completeRaw(t, described.Schema), ".state", "Run"), ".status.phase", phase)
		response, err := newServer(t, idleEngine{}).PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
			TypeName: "fleet_staged_update_run", PriorState: encode(t, prior), ProposedNewState: encode(t, prior),
			Config: encode(t, withValue(t, prior, ".status", nil)),
		})
		requireSuccess(t, err, response.Diagnostics)
		if is := len(response.RequiresReplace) == 1; is != replaced {
			t.Errorf("%s: replaced for %v", phase, response.RequiresReplace)
		}
	}
}
