package provider

import (
	"context"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/crp"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// idleEngine is an engine whose previews have no changes.
type idleEngine struct{ fullEngine }

func (idleEngine) Preview(context.Context, engine.Placement, engine.PreviewOptions) (*engine.Preview, error) {
	return &engine.Preview{Placement: word, Fulfilled: true}, nil
}

// withValue returns a copy of a raw value with another value at a path.
func withValue(t *testing.T, raw tftypes.Value, at string, value any) tftypes.Value {
	t.Helper()
	found := false
	out, err := tftypes.Transform(raw, func(here *tftypes.AttributePath, v tftypes.Value) (tftypes.Value, error) {
		if formatPath(here) != at {
			return v, nil
		}
		found = true
		return tftypes.NewValue(v.Type(), value), nil
	})
	if err != nil || !found {
		t.Fatalf("%s: %v", at, err)
	}
	return out
}

// formatPath formats a path as names of attributes and keys of maps.
func formatPath(at *tftypes.AttributePath) string {
	out := ""
	for _, step := range at.Steps() {
		switch step := step.(type) {
		case tftypes.AttributeName:
			out += "." + string(step)
		case tftypes.ElementKeyString:
			out += "." + string(step)
		}
	}
	return out
}

// TestPlacementDiffers checks that a plan changes a placement only if the meaning of its configuration changes. The status changes only if a cluster
// needs the change.
func TestPlacementDiffers(t *testing.T) {
	var described resource.SchemaResponse
	crp.New().Schema(t.Context(), resource.SchemaRequest{}, &described)
	prior := completeRaw(t, described.Schema)
	manifest, comparison := ".manifests."+word, ".strategy.apply_strategy.comparison_option"
	for at, value := range map[string]any{
		".expected_preview": nil, ".manifests_wo": nil,
		manifest: "{apiVersion: v1, kind: Namespace, metadata: {name: a}}", comparison: "PartialComparison",
	} {
		prior = withValue(t, prior, at, value)
	}
	for name, c := range map[string]struct {
		at                string
		value             any
		changes, received bool
	}{
		"nothing":                {manifest, "{apiVersion: v1, kind: Namespace, metadata: {name: a}}", false, false},
		"the format of YAML":     {manifest, "# a comment\nkind: Namespace\napiVersion: v1\nmetadata:\n  name: a\n", false, false},
		"the meaning of YAML":    {manifest, "{apiVersion: v1, kind: Namespace, metadata: {name: b}}", true, true},
		"the spelling":           {comparison, "partialComparison", false, false},
		"the option":             {comparison, "fullComparison", true, true},
		"write-only arguments":   {".expected_preview", engine.Expect(&engine.Preview{}).String(), false, false},
		"how long it may take":   {".timeouts.create", "2h", true, false},
		"deep in the policy":     {".policy.topology_spread_constraints.topology_key", "other", true, true},
		"left out":               {".wait", nil, true, false},
		"what a conflict means":  {".on_takeover_conflict", "other", true, false},
		"how often it is stored": {".revision_history_limit", 2, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			config := withValue(t, placementConfig(t, prior), c.at, c.value)
			proposed := withValue(t, prior, c.at, c.value)
			planned := planResource(t, "fleet_crp", prior, proposed, config)
			if changes := !planned.Equal(prior); changes != c.changes {
				diff, err := planned.Diff(prior)
				t.Errorf("changes: %v: %v %v", changes, diff, err)
			}
			for _, at := range []string{"phase", "problems"} {
				if value := attributeOf(t, planned, at); value.IsKnown() == c.received {
					t.Errorf("the planned %s is %s", at, value)
				}
			}
		})
	}
}

// placementConfig returns the configuration of a placement.
func placementConfig(t *testing.T, of tftypes.Value) tftypes.Value {
	t.Helper()
	for _, at := range []string{".phase", ".problems", ".planned_changes"} {
		of = withValue(t, of, at, nil)
	}
	return of
}

// planResource plans a resource as Terraform does.
func planResource(t *testing.T, typeName string, prior, proposed, config tftypes.Value) tftypes.Value {
	t.Helper()
	server := newServer(t, idleEngine{})
	response, err := server.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: typeName, PriorState: encode(t, prior), ProposedNewState: encode(t, proposed), Config: encode(t, config),
	})
	requireSuccess(t, err, response.Diagnostics)
	planned, err := response.PlannedState.Unmarshal(prior.Type())
	if err != nil {
		t.Fatal(err)
	}
	return planned
}

// requireSuccess ends the test if there is an error.
func requireSuccess(t *testing.T, err error, diags []*tfprotov6.Diagnostic) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range diags {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			t.Fatalf("%s: %s", d.Summary, d.Detail)
		}
	}
}

// newServer returns the configured server of a provider with the engine, for one plan or one apply.
func newServer(t *testing.T, fleet engine.Engine) tfprotov6.ProviderServer {
	t.Helper()
	server, settings := newUnconfigured(t, fleet)
	validated, err := server.ValidateProviderConfig(t.Context(), &tfprotov6.ValidateProviderConfigRequest{Config: settings})
	requireSuccess(t, err, validated.Diagnostics)
	configured, err := server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{Config: settings})
	if err != nil || len(configured.Diagnostics) > 0 {
		t.Fatalf("%v %v", err, configured.Diagnostics)
	}
	return server
}

// newUnconfigured returns the server of a provider with the engine, and a configuration for it.
func newUnconfigured(t *testing.T, fleet engine.Engine) (tfprotov6.ProviderServer, *tfprotov6.DynamicValue) {
	t.Helper()
	server := NewServer(New("test", func(Config) (session.Readers, engine.Engine, error) {
		return session.Readers{Workloads: fullMembers{}, Owners: fullOwners{}}, fleet, nil
	}))
	schema, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	own := schema.Provider.ValueType()
	settings := withValue(t, completeValue(own, ""), ".hub", nil)
	for at, value := range map[string]any{".engine": "direct", ".preview": "Auto", ".applying": false} {
		settings = withValue(t, settings, at, value)
	}
	for _, unused := range []string{
		"config_path", "config_paths", "config_context", "config_context_cluster", "config_context_auth_info", "client_certificate", "client_key",
		"cluster_ca_certificate", "tls_server_name", "proxy_url", "exec",
	} {
		settings = withValue(t, settings, ".members."+word+"."+unused, nil)
	}
	return server, encode(t, settings)
}

func encode(t *testing.T, raw tftypes.Value) *tfprotov6.DynamicValue {
	t.Helper()
	out, err := tfprotov6.NewDynamicValue(raw.Type(), raw)
	if err != nil {
		t.Fatal(err)
	}
	return &out
}

func attributeOf(t *testing.T, raw tftypes.Value, name string) tftypes.Value {
	t.Helper()
	attributes := map[string]tftypes.Value{}
	if err := raw.As(&attributes); err != nil {
		t.Fatal(err)
	}
	return attributes[name]
}
