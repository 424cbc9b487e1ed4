package provider

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// exemptNames are attributes called name that are not part of a request path: the names of properties.
var exemptNames = []string{".property_selector.match_expressions.name", ".property_sorter.name"}

// TestNamesAreValidated checks that each name that becomes part of a request path is rejected in the configuration, at its attribute, if it could
// change the path.
func TestNamesAreValidated(t *testing.T) {
	t.Parallel()
	server := newServer(t, idleEngine{})
	described, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range described.ResourceSchemas {
		checkNames(t, name, s, func(config *tfprotov6.DynamicValue) []*tfprotov6.Diagnostic {
			out, err := server.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{TypeName: name, Config: config})
			return requireAnswer(t, err, out).Diagnostics
		})
	}
	for name, s := range described.DataSourceSchemas {
		checkNames(t, "data."+name, s, func(config *tfprotov6.DynamicValue) []*tfprotov6.Diagnostic {
			out, err := server.ValidateDataResourceConfig(t.Context(), &tfprotov6.ValidateDataResourceConfigRequest{TypeName: name, Config: config})
			return requireAnswer(t, err, out).Diagnostics
		})
	}
	for name, s := range described.EphemeralResourceSchemas {
		checkNames(t, "ephemeral."+name, s, func(config *tfprotov6.DynamicValue) []*tfprotov6.Diagnostic {
			out, err := server.ValidateEphemeralResourceConfig(t.Context(), &tfprotov6.ValidateEphemeralResourceConfigRequest{TypeName: name, Config: config})
			return requireAnswer(t, err, out).Diagnostics
		})
	}
	for name, s := range described.ListResourceSchemas {
		checkNames(t, "list."+name, s, func(config *tfprotov6.DynamicValue) []*tfprotov6.Diagnostic {
			out, err := server.(tfprotov6.ListResourceServer).ValidateListResourceConfig(t.Context(), &tfprotov6.ValidateListResourceConfigRequest{TypeName: name, Config: config})
			return requireAnswer(t, err, out).Diagnostics
		})
	}
	for name, s := range described.ActionSchemas {
		checkNames(t, "action."+name, s.Schema, func(config *tfprotov6.DynamicValue) []*tfprotov6.Diagnostic {
			out, err := server.(tfprotov6.ActionServer).ValidateActionConfig(t.Context(), &tfprotov6.ValidateActionConfigRequest{ActionType: name, Config: config})
			return requireAnswer(t, err, out).Diagnostics
		})
	}
}

func requireAnswer[R any](t *testing.T, err error, response *R) *R {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return response
}

func checkNames(t *testing.T, what string, s *tfprotov6.Schema, validate func(*tfprotov6.DynamicValue) []*tfprotov6.Diagnostic) {
	t.Helper()
	raw := completeValue(s.ValueType(), "")
	for _, name := range listNames("", s.Block.Attributes) {
		for _, hostile := range []string{"../x", "..", "a/b", "a%2fb", ""} {
			if hostile == "" && name == ".resource_selectors.name" && what != "fleet_resource_override" {
				continue // "" counts as omitted
			}
			config := withValue(t, raw, name, hostile)
			if strings.HasPrefix(name, ".identity.") { // the name of a user or group can be any text
				config = withValue(t, config, ".identity.kind", "ServiceAccount")
			}
			first, _, _ := strings.Cut(name[1:], ".")
			if !slices.ContainsFunc(validate(encode(t, config)), func(d *tfprotov6.Diagnostic) bool {
				return d.Severity == tfprotov6.DiagnosticSeverityError && strings.Contains(d.Detail, hostile) &&
					d.Attribute != nil && d.Attribute.Steps()[0] == tftypes.AttributeName(first)
			}) {
				t.Errorf("%s%s = %q is not rejected", what, name, hostile)
			}
		}
	}
}

// listNames returns the paths of the texts that can be set and name an object, a namespace or a part of an object's name.
func listNames(at string, attributes []*tfprotov6.SchemaAttribute) []string {
	var out []string
	for _, a := range attributes {
		here := at + "." + a.Name
		named := a.Name == "namespace" || a.Name == "name" || strings.HasSuffix(a.Name, "_name") || strings.HasSuffix(a.Name, "_index")
		switch {
		case a.NestedType != nil:
			out = append(out, listNames(here, a.NestedType.Attributes)...)
		case named && (a.Required || a.Optional) && !slices.ContainsFunc(exemptNames, func(end string) bool { return strings.HasSuffix(here, end) }):
			out = append(out, here)
		}
	}
	return out
}
