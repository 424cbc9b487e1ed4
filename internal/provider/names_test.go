package provider

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// nameless are attributes that are called names and become no part of a request's path: those of properties.
var nameless = []string{".property_selector.match_expressions.name", ".property_sorter.name"}

// Each name that becomes a part of a request's path is refused in the configuration if it leads anywhere else, where it is written.
func TestNamesAreValidated(t *testing.T) {
	t.Parallel()
	server := configured(t, idle{})
	described, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range described.ResourceSchemas {
		refusesNames(t, name, s, func(config *tfprotov6.DynamicValue) []*tfprotov6.Diagnostic {
			out, err := server.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{TypeName: name, Config: config})
			return answered(t, err, out).Diagnostics
		})
	}
	for name, s := range described.DataSourceSchemas {
		refusesNames(t, "data."+name, s, func(config *tfprotov6.DynamicValue) []*tfprotov6.Diagnostic {
			out, err := server.ValidateDataResourceConfig(t.Context(), &tfprotov6.ValidateDataResourceConfigRequest{TypeName: name, Config: config})
			return answered(t, err, out).Diagnostics
		})
	}
	for name, s := range described.EphemeralResourceSchemas {
		refusesNames(t, "ephemeral."+name, s, func(config *tfprotov6.DynamicValue) []*tfprotov6.Diagnostic {
			out, err := server.ValidateEphemeralResourceConfig(t.Context(), &tfprotov6.ValidateEphemeralResourceConfigRequest{TypeName: name, Config: config})
			return answered(t, err, out).Diagnostics
		})
	}
	for name, s := range described.ListResourceSchemas {
		refusesNames(t, "list."+name, s, func(config *tfprotov6.DynamicValue) []*tfprotov6.Diagnostic {
			out, err := server.(tfprotov6.ListResourceServer).ValidateListResourceConfig(t.Context(), &tfprotov6.ValidateListResourceConfigRequest{TypeName: name, Config: config})
			return answered(t, err, out).Diagnostics
		})
	}
	for name, s := range described.ActionSchemas {
		refusesNames(t, "action."+name, s.Schema, func(config *tfprotov6.DynamicValue) []*tfprotov6.Diagnostic {
			out, err := server.(tfprotov6.ActionServer).ValidateActionConfig(t.Context(), &tfprotov6.ValidateActionConfigRequest{ActionType: name, Config: config})
			return answered(t, err, out).Diagnostics
		})
	}
}

func answered[R any](t *testing.T, err error, response *R) *R {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return response
}

func refusesNames(t *testing.T, what string, s *tfprotov6.Schema, validated func(*tfprotov6.DynamicValue) []*tfprotov6.Diagnostic) {
	t.Helper()
	raw := complete(s.ValueType(), "")
	for _, name := range namesIn("", s.Block.Attributes) {
		for _, hostile := range []string{"../x", "..", "a/b", "a%2fb", ""} {
			if hostile == "" && name == ".resource_selectors.name" && what != "fleet_resource_override" {
				continue // it is the same as none
			}
			config := edited(t, raw, name, hostile)
			if strings.HasPrefix(name, ".identity.") { // of a user or a group it may be anything
				config = edited(t, config, ".identity.kind", "ServiceAccount")
			}
			first, _, _ := strings.Cut(name[1:], ".")
			if !slices.ContainsFunc(validated(dynamic(t, config)), func(d *tfprotov6.Diagnostic) bool {
				return d.Severity == tfprotov6.DiagnosticSeverityError && strings.Contains(d.Detail, hostile) &&
					d.Attribute != nil && d.Attribute.Steps()[0] == tftypes.AttributeName(first)
			}) {
				t.Errorf("%s%s = %q is not refused", what, name, hostile)
			}
		}
	}
}

// namesIn are the texts that can be set and name an object, a namespace or a part of an object's name, and where they are.
func namesIn(at string, attributes []*tfprotov6.SchemaAttribute) []string {
	var out []string
	for _, a := range attributes {
		here := at + "." + a.Name
		named := a.Name == "namespace" || a.Name == "name" || strings.HasSuffix(a.Name, "_name") || strings.HasSuffix(a.Name, "_index")
		switch {
		case a.NestedType != nil:
			out = append(out, namesIn(here, a.NestedType.Attributes)...)
		case named && (a.Required || a.Optional) && !slices.ContainsFunc(nameless, func(end string) bool { return strings.HasSuffix(here, end) }):
			out = append(out, here)
		}
	}
	return out
}
