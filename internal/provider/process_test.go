package provider

import (
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/plannedprivate"
)

// newTestProcess returns the process of a provider that a file of terraform test configures.
func newTestProcess(t *testing.T) *process {
	t.Helper()
	server, settings := newUnconfigured(t, idleEngine{})
	configured, err := server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{Config: settings})
	requireSuccess(t, err, configured.Diagnostics)
	return server.(*process) //nolint:forcetypeassert // NewServer returns it
}

// beginAndEnd makes a request, and returns the number of its run; 0 if there is an error.
func beginAndEnd(t *testing.T, p *process, o operation) (run int) {
	t.Helper()
	r, end, err := p.begin(t.Context(), o)
	if err != nil {
		t.Error(err)
		return 0
	}
	end()
	return r.number
}

// TestSingleRun checks when a process serves a single run: if Terraform validates the provider's configuration first, or if a Stack configures the provider.
// This is also true if the process has served a file of terraform test before.
func TestSingleRun(t *testing.T) {
	t.Parallel()
	server, settings := newUnconfigured(t, idleEngine{})
	p := server.(*process) //nolint:forcetypeassert // NewServer returns it
	for _, step := range []struct {
		name              string
		validates, defers bool
		isSingle          bool
	}{
		{"plan", true, false, true}, {"test", false, false, false}, {"plan after the test", true, false, true}, {"second test", false, false, false},
		{"stack", false, true, true},
	} {
		if step.validates {
			validated, err := server.ValidateProviderConfig(t.Context(), &tfprotov6.ValidateProviderConfigRequest{Config: settings})
			requireSuccess(t, err, validated.Diagnostics)
		}
		configured, err := server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{
			Config: settings, ClientCapabilities: &tfprotov6.ConfigureProviderClientCapabilities{DeferralAllowed: step.defers},
		})
		requireSuccess(t, err, configured.Diagnostics)
		if isSingle := p.configuration == nil; isSingle != step.isSingle || p.current != nil {
			t.Errorf("%s: a single run: %v; the current run is %v", step.name, isSingle, p.current)
		}
		_, end, err := p.begin(t.Context(), operation{typeName: "member", planOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		end()
	}
}

// TestRuns checks to which run of terraform test a request belongs. Terraform does not name the run.
func TestRuns(t *testing.T) {
	t.Parallel()
	validate := operation{typeName: "validate"}
	plan := operation{typeName: "member", planOnly: true}
	refresh := operation{planOnly: true, refreshes: "member a"}
	update := operation{typeName: "member", planOnly: true, plans: "member a"}
	destroy := operation{planOnly: true, plans: "member a", destroys: true}
	destroyOther := operation{planOnly: true, plans: "member b", destroys: true}
	read := operation{typeName: "data.status"}
	invoke := operation{applyOnly: true}
	applyOf := func(number int) operation { return operation{typeName: "member", applyOnly: true, run: number} }
	// oldPlan is a plan by a Terraform that does not send the planned private state.
	oldPlan := operation{typeName: "member", replannable: "a"}

	type step struct {
		operation
		// want is the number of the run.
		want int
	}
	for name, steps := range map[string][]step{
		"plan, apply":                         {{plan, 1}, {plan, 1}, {applyOf(1), 2}, {applyOf(1), 2}},
		"apply, then the next plan":           {{plan, 1}, {applyOf(1), 2}, {validate, 0}, {refresh, 3}, {plan, 3}, {applyOf(3), 4}},
		"a replacement in a plan":             {{plan, 1}, {operation{run: 1}, 1}, {plan, 1}},
		"a replacement in an apply":           {{plan, 1}, {applyOf(1), 2}, {operation{run: 2}, 2}, {applyOf(2), 2}},
		"plan, then the plan of another run":  {{validate, 0}, {plan, 1}, {validate, 0}, {plan, 2}, {plan, 2}},
		"plan, then a refresh in another run": {{validate, 0}, {plan, 1}, {validate, 0}, {refresh, 2}, {plan, 2}},
		"plan, then reads in another run":     {{plan, 1}, {read, 1}, {validate, 0}, {read, 2}},
		"reads in an apply":                   {{plan, 1}, {applyOf(1), 2}, {read, 2}},
		"destroy after an apply":              {{plan, 1}, {applyOf(1), 2}, {destroy, 3}, {destroy, 3}, {applyOf(3), 4}},
		"destroy after a plan":                {{refresh, 1}, {update, 1}, {destroy, 2}, {destroyOther, 2}, {applyOf(2), 3}},
		"destroy after a plan of others":      {{plan, 1}, {destroy, 2}, {destroyOther, 2}},
		"destroy in a plan":                   {{refresh, 1}, {plan, 1}, {destroy, 1}},
		"an action before any change":         {{plan, 1}, {invoke, 2}, {applyOf(1), 2}},
		"plans at the same time":              {{plan, 1}, {applyOf(1), 2}, {plan, 3}, {applyOf(1), 2}, {applyOf(3), 4}},
		"Terraform 1.15: plan, apply":         {{oldPlan, 1}, {operation{typeName: "member", replannable: "b"}, 1}, {oldPlan, 2}, {applyOf(2), 2}},
		"Terraform 1.15: the next plan":       {{oldPlan, 1}, {oldPlan, 2}, {applyOf(2), 2}, {validate, 0}, {oldPlan, 3}, {oldPlan, 4}},
		"Terraform 1.15: plan, plan":          {{oldPlan, 1}, {validate, 0}, {oldPlan, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newTestProcess(t)
			for i, s := range steps {
				if s.typeName == validate.typeName {
					p.recordValidated("member", nil)
					continue
				}
				if s.typeName == "member" {
					p.recordValidated("member", nil) // a plan validates the configuration again
				}
				if got := beginAndEnd(t, p, s.operation); got != s.want {
					t.Errorf("step %d belongs to run %d, want %d", i, got, s.want)
				}
			}
		})
	}
}

// TestParallelPlans checks that a plan belongs to the current run if another configuration was validated before it and is planned in parallel.
func TestParallelPlans(t *testing.T) {
	t.Parallel()
	p := newTestProcess(t)
	plan := func() int { return beginAndEnd(t, p, operation{typeName: "member", planOnly: true}) }
	plan()
	p.recordValidated("member", nil)
	p.recordValidated("member", nil)
	other := make(chan int)
	go func() { other <- plan() }()
	if mine, other := plan(), <-other; mine != 1 || other != 1 {
		t.Errorf("the plans belong to the runs %d and %d", mine, other)
	}
}

// TestApplyBeginsWhilePlanWaits checks that a plan does not belong to an apply that begins while the plan waits for the plan of another configuration.
func TestApplyBeginsWhilePlanWaits(t *testing.T) {
	t.Parallel()
	p := newTestProcess(t)
	beginAndEnd(t, p, operation{typeName: "member", planOnly: true})
	p.recordValidated("other", nil)
	planned := make(chan int)
	go func() { planned <- beginAndEnd(t, p, operation{planOnly: true, refreshes: "member a"}) }()
	for waits := false; !waits; {
		p.mu.Lock()
		waits = p.answered != nil
		p.mu.Unlock()
		time.Sleep(time.Millisecond)
	}
	if got := beginAndEnd(t, p, operation{typeName: "member", applyOnly: true, run: 1}); got != 2 {
		t.Errorf("the apply is run %d, want 2", got)
	}
	if got := <-planned; got != 3 {
		t.Errorf("the plan belongs to run %d, want 3", got)
	}
}

// TestRunsAreSeparate checks that the runs of one process have separate sessions, and that one run still has only one resource for a placement.
func TestRunsAreSeparate(t *testing.T) {
	t.Parallel()
	p := newTestProcess(t)
	schemas, err := p.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	own := schemas.ResourceSchemas["fleet_crp"].ValueType()
	null := tftypes.NewValue(own, nil)
	attributes := map[string]tftypes.Value{}
	for name, kind := range own.(tftypes.Object).AttributeTypes { //nolint:forcetypeassert // the type of every resource
		attributes[name] = tftypes.NewValue(kind, nil)
	}
	attributes["name"] = tftypes.NewValue(tftypes.String, "web")
	manifests := own.(tftypes.Object).AttributeTypes["manifests"] //nolint:forcetypeassert // see above
	attributes["manifests"] = tftypes.NewValue(manifests, map[string]tftypes.Value{
		"a.yaml": tftypes.NewValue(tftypes.String, "{apiVersion: v1, kind: Namespace, metadata: {name: a}}"),
	})
	config := tftypes.NewValue(own, attributes)
	validate := func() {
		t.Helper()
		response, err := p.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{TypeName: "fleet_crp", Config: encode(t, config)})
		requireSuccess(t, err, response.Diagnostics)
	}
	plan := func(planned []byte) *tfprotov6.PlanResourceChangeResponse {
		t.Helper()
		validate()
		ctx, err := plannedprivate.With(plannedprivate.WithStore(t.Context()), planned)
		if err != nil {
			t.Fatal(err)
		}
		response, err := p.PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{
			TypeName: "fleet_crp", PriorState: encode(t, null), ProposedNewState: encode(t, config), Config: encode(t, config),
		})
		if err != nil {
			t.Fatal(err)
		}
		return response
	}
	succeeds := func(planned []byte) []byte {
		t.Helper()
		response := plan(planned)
		requireSuccess(t, nil, response.Diagnostics)
		return response.PlannedPrivate
	}
	fails := func(planned []byte) {
		t.Helper()
		if text := formatDiagnostics(plan(planned).Diagnostics); !strings.Contains(text, "Two resources for one placement") {
			t.Errorf("the run plans the placement twice: %s", text)
		}
	}
	validate()
	first := succeeds(nil)
	fails(nil)
	succeeds(first)
	fails(first)
	validate()
	second := succeeds(nil)
	fails(nil)
	validate()
	third := succeeds(nil)
	succeeds(third)
	if number, _ := runIn(second); number != 3 {
		t.Errorf("the plan has the private state %s", second)
	}
}
