package provider

import (
	"context"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// frameworkTexts are fragments of the framework's reports about values that it cannot convert, and of Go's output for a value that does not fit a
// format.
var frameworkTexts = []string{"always an error in the provider", "report the following", "Please report", "%!", "provider developers", "marked it as"}

// unusualConfigs returns configurations with values that Terraform accepts for the types of the attributes and that many Go types cannot hold.
func unusualConfigs(t *testing.T, schema *tfprotov6.Schema) map[string]tftypes.Value {
	t.Helper()
	config := completeValue(schema.ValueType(), "")
	for _, a := range schema.Block.Attributes {
		if a.Computed && !a.Optional {
			config = withValue(t, config, "."+a.Name, nil)
		}
	}
	out := map[string]tftypes.Value{}
	with := func(what string, change func(tftypes.Value) tftypes.Value) {
		changed, err := tftypes.Transform(config, func(_ *tftypes.AttributePath, v tftypes.Value) (tftypes.Value, error) {
			if v.IsNull() {
				return v, nil
			}
			return change(v), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		out[what] = changed
	}
	with("null elements", func(v tftypes.Value) tftypes.Value {
		var fields map[string]tftypes.Value
		var list []tftypes.Value
		switch kind := v.Type().(type) {
		case tftypes.Map:
			if v.As(&fields) == nil {
				fields["left-out"] = tftypes.NewValue(kind.ElementType, nil)
				return tftypes.NewValue(kind, fields)
			}
		case tftypes.List:
			if v.As(&list) == nil {
				return tftypes.NewValue(kind, append(list, tftypes.NewValue(kind.ElementType, nil)))
			}
		}
		return v
	})
	with("null attributes", func(v tftypes.Value) tftypes.Value {
		var fields map[string]tftypes.Value
		kind, is := v.Type().(tftypes.Object)
		if !is || v.As(&fields) != nil {
			return v
		}
		for name, field := range fields {
			if field.Type().Is(tftypes.String) || field.Type().Is(tftypes.Number) || field.Type().Is(tftypes.List{}) {
				fields[name] = tftypes.NewValue(field.Type(), nil)
			}
		}
		return tftypes.NewValue(kind, fields)
	})
	with("empty collections", func(v tftypes.Value) tftypes.Value {
		switch kind := v.Type().(type) {
		case tftypes.Map:
			return tftypes.NewValue(kind, map[string]tftypes.Value{})
		case tftypes.List:
			return tftypes.NewValue(kind, []tftypes.Value{})
		}
		return v
	})
	for _, text := range []string{"600.5", "-0.25", "1e300", "-1e400", "4294967296.5", "9223372036854775808"} {
		number, _, err := big.ParseFloat(text, 10, 512, big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}
		with(text, func(v tftypes.Value) tftypes.Value {
			if v.Type().Is(tftypes.Number) {
				return tftypes.NewValue(tftypes.Number, number)
			}
			return v
		})
	}
	return out
}

// TestNoValueIsReportedAsABug checks that no attribute of any schema makes the framework report a user's value as a bug in the provider.
func TestNoValueIsReportedAsABug(t *testing.T) {
	server := newServer(t, fullEngine{})
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	type calls map[string]func(ctx context.Context, name string, config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error)
	check := func(kind string, of map[string]*tfprotov6.Schema, calls calls) {
		for _, name := range slices.Sorted(maps.Keys(of)) {
			t.Run(kind+" "+name, func(t *testing.T) {
				values := unusualConfigs(t, of[name])
				for _, what := range slices.Sorted(maps.Keys(values)) {
					for call, does := range calls {
						if _, _, err := big.ParseFloat(what, 10, 0, 0); (err == nil || what == "null attributes") && call != "validate" {
							continue // a configuration with an error is not planned
						}
						diags, err := does(t.Context(), name, encode(t, values[what]))
						if err != nil {
							t.Fatalf("%s: %s: %v", call, what, err)
						}
						for _, d := range diags {
							text := fmt.Sprintf("%s: %s", d.Summary, d.Detail)
							if slices.ContainsFunc(frameworkTexts, func(words string) bool { return strings.Contains(text, words) }) {
								t.Errorf("%s: %s: %s", call, what, text)
							}
						}
					}
				}
			})
		}
	}
	check("provider", map[string]*tfprotov6.Schema{"fleet": schemas.Provider}, calls{
		"validate": func(ctx context.Context, _ string, config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
			response, err := server.ValidateProviderConfig(ctx, &tfprotov6.ValidateProviderConfigRequest{Config: config})
			return response.Diagnostics, err
		},
	})
	check("resource", schemas.ResourceSchemas, calls{
		"validate": func(ctx context.Context, name string, config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
			response, err := server.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{TypeName: name, Config: config})
			return response.Diagnostics, err
		},
		"plan": func(ctx context.Context, name string, config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
			schema := schemas.ResourceSchemas[name]
			null := encode(t, tftypes.NewValue(schema.ValueType(), nil))
			response, err := server.PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{TypeName: name, PriorState: null, ProposedNewState: config, Config: config})
			return response.Diagnostics, err
		},
		"read": func(ctx context.Context, name string, config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
			response, err := server.ReadResource(ctx, &tfprotov6.ReadResourceRequest{TypeName: name, CurrentState: config})
			return response.Diagnostics, err
		},
	})
	check("data source", schemas.DataSourceSchemas, calls{
		"validate": func(ctx context.Context, name string, config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
			response, err := server.ValidateDataResourceConfig(ctx, &tfprotov6.ValidateDataResourceConfigRequest{TypeName: name, Config: config})
			return response.Diagnostics, err
		},
		"read": func(ctx context.Context, name string, config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
			response, err := server.ReadDataSource(ctx, &tfprotov6.ReadDataSourceRequest{TypeName: name, Config: config})
			return response.Diagnostics, err
		},
	})
	check("ephemeral", schemas.EphemeralResourceSchemas, calls{
		"validate": func(ctx context.Context, name string, config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
			response, err := server.ValidateEphemeralResourceConfig(ctx, &tfprotov6.ValidateEphemeralResourceConfigRequest{TypeName: name, Config: config})
			return response.Diagnostics, err
		},
	})
	actions := map[string]*tfprotov6.Schema{}
	for name, schema := range schemas.ActionSchemas {
		actions[name] = schema.Schema
	}
	check("action", actions, calls{
		"validate": func(ctx context.Context, name string, config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
			response, err := server.(tfprotov6.ActionServer).ValidateActionConfig(ctx, &tfprotov6.ValidateActionConfigRequest{ActionType: name, Config: config})
			return response.Diagnostics, err
		},
	})
	check("list", schemas.ListResourceSchemas, calls{
		"validate": func(ctx context.Context, name string, config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
			response, err := server.(tfprotov6.ListResourceServer).ValidateListResourceConfig(ctx, &tfprotov6.ValidateListResourceConfigRequest{TypeName: name, Config: config})
			return response.Diagnostics, err
		},
	})
}
