package provider

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/crp"
)

// handOverEngine is an engine on which the placement "bulk" has one object. A placement with takes_over_from takes this object over. "bulk" deletes the object
// unless it has a taker. between is called once, while "bulk" is previewed.
type handOverEngine struct {
	fullEngine
	between *atomic.Pointer[func()]
}

var handedObject = manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: "default", Name: "a"}

func (e handOverEngine) Preview(_ context.Context, wanted engine.Placement, options engine.PreviewOptions) (*engine.Preview, error) {
	if len(wanted.TakesOverFrom) == 0 {
		return e.giverPreview(wanted.String(), options.Takers), nil
	}
	return handingPreview(wanted.String(), engine.ObjectPreview{Action: takeover.ActionTakeOverFrom, Given: &engine.Given{From: "bulk", UID: "1", Created: true}}), nil
}

func (e handOverEngine) PreviewDelete(_ context.Context, removed engine.Placement, options engine.DeleteOptions) (*engine.Preview, error) {
	return e.giverPreview(removed.String(), options.Takers), nil
}

func (e handOverEngine) giverPreview(name string, takers engine.Takers) *engine.Preview {
	if plan := e.between.Swap(nil); plan != nil {
		(*plan)()
	}
	if to, _ := takers.Of("member-1", handedObject.Key()); to != "" {
		return handingPreview(name, engine.ObjectPreview{Action: takeover.ActionHandOver, To: to})
	}
	return handingPreview(name, engine.ObjectPreview{Action: takeover.ActionPrune, Owned: true})
}

func handingPreview(name string, object engine.ObjectPreview) *engine.Preview {
	object.Identifier, object.Exists = handedObject, true
	return &engine.Preview{Placement: name, Clusters: []engine.ClusterPreview{{Name: "member-1", Objects: []engine.ObjectPreview{object}}}}
}

// TestGiverPlannedBesideTaker checks the plans of a giver that deletes an object and of a taker that takes the same object over. If the taker is planned first,
// there is no error. Otherwise there is exactly one error, also if the two plans overlap: Terraform plans independent resources in parallel.
func TestGiverPlannedBesideTaker(t *testing.T) {
	var described resource.SchemaResponse
	crp.New().Schema(t.Context(), resource.SchemaRequest{}, &described)
	base := completeRaw(t, described.Schema)
	for at, value := range map[string]any{
		".expected_preview": nil, ".manifests_wo": nil, ".takes_over_from": nil, ".takes_over_from_removed": nil, ".manifests." + word: "{apiVersion: v1, kind: Namespace, metadata: {name: a}}",
	} {
		base = withValue(t, base, at, value)
	}
	null := tftypes.NewValue(base.Type(), nil)
	named := func(name string) tftypes.Value { return withValue(t, base, ".name", name) }
	web := withValue(t, named("web"), ".takes_over_from", []tftypes.Value{tftypes.NewValue(tftypes.String, "bulk")})
	bulk := named("bulk")
	changed := withValue(t, bulk, ".revision_history_limit", 2)
	for name, c := range map[string]struct {
		giver tftypes.Value
		// before, between and after are true if the taker is planned at this point.
		before, between, after bool
		want                   int
	}{
		"destroyed, taker first":      {null, true, false, false, 0},
		"destroyed, taker in between": {null, false, true, false, 1},
		"destroyed, taker last":       {null, false, false, true, 1},
		"changed, taker first":        {changed, true, false, false, 0},
		"changed, taker in between":   {changed, false, true, false, 1},
		"changed, taker last":         {changed, false, false, true, 1},
	} {
		t.Run(name, func(t *testing.T) {
			fleet := handOverEngine{between: new(atomic.Pointer[func()])}
			server := newServer(t, fleet)
			var errors []string
			of := func(prior, proposed tftypes.Value) {
				config := proposed
				if !proposed.IsNull() {
					config = placementConfig(t, proposed)
				}
				response, err := server.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
					TypeName: "fleet_crp", PriorState: encode(t, prior), ProposedNewState: encode(t, proposed), Config: encode(t, config),
				})
				if err != nil {
					t.Fatal(err)
				}
				for _, d := range response.Diagnostics {
					if d.Severity == tfprotov6.DiagnosticSeverityError {
						errors = append(errors, d.Summary+": "+d.Detail)
					}
				}
			}
			taker := func() { of(null, web) }
			if c.before {
				taker()
			}
			if c.between {
				fleet.between.Store(&taker)
			}
			of(bulk, c.giver)
			if c.after {
				taker()
			}
			if len(errors) != c.want {
				t.Fatalf("%d errors, want %d: %q", len(errors), c.want, errors)
			}
			for _, text := range errors {
				if !strings.Contains(text, `Placement "bulk" was planned before "web", which takes objects over from it`) {
					t.Error(text)
				}
			}
		})
	}
}
