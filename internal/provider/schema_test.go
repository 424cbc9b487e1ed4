package provider

import (
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

func TestSchemas(t *testing.T) {
	p := New("test", func(Config) (session.Readers, engine.Engine, error) { return session.Readers{}, nil, nil })()
	var own provider.SchemaResponse
	p.Schema(t.Context(), provider.SchemaRequest{}, &own)
	if diags := own.Schema.ValidateImplementation(t.Context()); diags.HasError() {
		t.Errorf("provider: %v", diags)
	}
	for _, newOne := range p.Resources(t.Context()) {
		r := newOne()
		var metadata resource.MetadataResponse
		r.Metadata(t.Context(), resource.MetadataRequest{ProviderTypeName: "fleet"}, &metadata)
		var described resource.SchemaResponse
		r.Schema(t.Context(), resource.SchemaRequest{}, &described)
		if diags := described.Schema.ValidateImplementation(t.Context()); diags.HasError() {
			t.Errorf("%s: %v", metadata.TypeName, diags)
		}
		checkDescriptions(t, metadata.TypeName, described.Schema.Attributes)
	}
	for _, newOne := range p.DataSources(t.Context()) {
		var described datasource.SchemaResponse
		newOne().Schema(t.Context(), datasource.SchemaRequest{}, &described)
		if diags := described.Schema.ValidateImplementation(t.Context()); diags.HasError() {
			t.Errorf("data source: %v", diags)
		}
	}
}

// TestActionSchemas checks that every attribute of an action has a description.
func TestActionSchemas(t *testing.T) {
	p, is := New("test", nil)().(provider.ProviderWithActions)
	if !is {
		t.Fatal("there are no actions")
	}
	for _, newOne := range p.Actions(t.Context()) {
		var described action.SchemaResponse
		newOne().Schema(t.Context(), action.SchemaRequest{}, &described)
		if diags := described.Schema.ValidateImplementation(t.Context()); diags.HasError() || described.Schema.MarkdownDescription == "" {
			t.Errorf("action: %v", diags)
		}
		for name, attribute := range described.Schema.Attributes {
			if attribute.GetMarkdownDescription() == "" {
				t.Errorf("%s has no description", name)
			}
		}
	}
}

// checkDescriptions fails the test for every attribute without a description.
func checkDescriptions(t *testing.T, at string, attributes map[string]schema.Attribute) {
	t.Helper()
	for name, attribute := range attributes {
		here := at + "." + name
		if attribute.GetMarkdownDescription() == "" && attribute.GetDescription() == "" {
			t.Errorf("%s has no description", here)
		}
		if text, ok := attribute.(schema.StringAttribute); ok {
			checkValues(t, here, text)
		}
		if nested, ok := attribute.(schema.NestedAttribute); ok {
			below := map[string]schema.Attribute{}
			for name, child := range nested.GetNestedObject().GetAttributes() {
				below[name], _ = child.(schema.Attribute)
			}
			checkDescriptions(t, here, below)
		}
	}
}

var quotedValue = regexp.MustCompile(`"([^"]*)"`)

// checkValues fails the test for a value that an attribute accepts and its description does not name.
func checkValues(t *testing.T, at string, attribute schema.StringAttribute) {
	t.Helper()
	for _, v := range attribute.Validators {
		rule, of := strings.CutPrefix(v.Description(t.Context()), "one of ")
		if !of {
			continue
		}
		for _, value := range quotedValue.FindAllStringSubmatch(rule, -1) {
			if !strings.Contains(attribute.MarkdownDescription, "`"+value[1]+"`") {
				t.Errorf("%s accepts %s and does not say so: %s", at, value[1], attribute.MarkdownDescription)
			}
		}
	}
}
