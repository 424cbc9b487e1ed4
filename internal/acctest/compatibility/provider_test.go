package compatibility

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/app"
)

// current returns the schemas of the provider in this repository.
func current(t *testing.T) Schemas {
	t.Helper()
	server := app.NewServer("test")
	all, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil || len(all.Diagnostics) > 0 {
		t.Fatalf("schemas: %v, %v", err, all.Diagnostics)
	}
	identities, err := server.GetResourceIdentitySchemas(t.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		t.Fatal(err)
	}
	out := Schemas{}
	add := func(block string, in *tfprotov6.Schema) {
		if len(in.Block.BlockTypes) > 0 {
			t.Fatalf("%s has blocks, which this test does not describe", block)
		}
		out[block] = Schema{Version: in.Version, Attributes: map[string]Attribute{}}
		addAttributes(t, out[block], "", in.Block.Attributes)
	}
	add("provider", all.Provider)
	for kind, schemas := range map[string]map[string]*tfprotov6.Schema{
		"resource ": all.ResourceSchemas, "data ": all.DataSourceSchemas, "ephemeral ": all.EphemeralResourceSchemas, "list ": all.ListResourceSchemas,
	} {
		for name, one := range schemas {
			add(kind+name, one)
		}
	}
	for name, one := range all.ActionSchemas {
		add("action "+name, one.Schema)
	}
	for name, one := range identities.IdentitySchemas {
		identity := Schema{Version: one.Version, Attributes: map[string]Attribute{}}
		for _, a := range one.IdentityAttributes {
			identity.Attributes[a.Name] = Attribute{Type: typeText(t, a.Type), Required: a.RequiredForImport, Optional: a.OptionalForImport}
		}
		out["identity "+name] = identity
	}
	for name, one := range all.Functions {
		out["function "+name] = Schema{Attributes: signature(t, one)}
	}
	addRules(t, out)
	addConditionalReplacements(t, out)
	return out
}

// addAttributes adds attributes and the fields of nested attributes. prefix ends with a dot unless it is empty.
func addAttributes(t *testing.T, to Schema, prefix string, attributes []*tfprotov6.SchemaAttribute) {
	t.Helper()
	for _, a := range attributes {
		one := Attribute{Required: a.Required, Optional: a.Optional, Computed: a.Computed, Sensitive: a.Sensitive, WriteOnly: a.WriteOnly}
		if a.NestedType == nil {
			one.Type = typeText(t, a.Type)
		} else {
			one.Type = "object"
			if nesting := a.NestedType.Nesting; nesting != tfprotov6.SchemaObjectNestingModeSingle {
				one.Type = strings.ToLower(nesting.String()) + " of object"
			}
			addAttributes(t, to, prefix+a.Name+".", a.NestedType.Attributes)
		}
		to.Attributes[prefix+a.Name] = one
	}
}

// signature returns the parameters of a function, by position because calls have no names, and its result.
func signature(t *testing.T, f *tfprotov6.Function) map[string]Attribute {
	t.Helper()
	out := map[string]Attribute{"result": {Type: typeText(t, f.Return.Type), Computed: true}}
	for i, p := range f.Parameters {
		out[fmt.Sprintf("parameter %d", i+1)] = Attribute{Type: typeText(t, p.Type), Required: !p.AllowNullValue, Optional: p.AllowNullValue}
	}
	if p := f.VariadicParameter; p != nil {
		out["further parameters"] = Attribute{Type: typeText(t, p.Type), Optional: true}
	}
	return out
}

// typeText returns a type as it is written in a variable block.
func typeText(t *testing.T, in tftypes.Type) string {
	t.Helper()
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	of, err := ctyjson.UnmarshalType(text)
	if err != nil {
		t.Fatal(err)
	}
	return constraint(of)
}

func constraint(of cty.Type) string {
	switch {
	case of == cty.DynamicPseudoType:
		return "any"
	case of.IsListType():
		return "list(" + constraint(of.ElementType()) + ")"
	case of.IsSetType():
		return "set(" + constraint(of.ElementType()) + ")"
	case of.IsMapType():
		return "map(" + constraint(of.ElementType()) + ")"
	case of.IsObjectType():
		var fields []string
		for name, field := range of.AttributeTypes() {
			fields = append(fields, name+"="+constraint(field))
		}
		slices.Sort(fields)
		return "object(" + strings.Join(fields, ", ") + ")"
	default:
		return of.FriendlyName()
	}
}

// addRules adds what the protocol does not transfer, and what the framework knows: the accepted values, and whether a change replaces the resource.
func addRules(t *testing.T, to Schemas) {
	t.Helper()
	ctx, p := t.Context(), app.NewProvider("test")()
	walk := func(block string, in any) {
		if _, found := to[block]; !found {
			t.Fatalf("the server has no schema of %s", block)
		}
		addRulesBelow(ctx, to[block], "", reflect.ValueOf(in))
	}
	var own provider.SchemaResponse
	p.Schema(ctx, provider.SchemaRequest{}, &own)
	walk("provider", own.Schema)
	for _, newOne := range p.Resources(ctx) {
		var name resource.MetadataResponse
		var described resource.SchemaResponse
		one := newOne()
		one.Metadata(ctx, resource.MetadataRequest{ProviderTypeName: "fleet"}, &name)
		one.Schema(ctx, resource.SchemaRequest{}, &described)
		walk("resource "+name.TypeName, described.Schema)
	}
	for _, newOne := range p.DataSources(ctx) {
		var name datasource.MetadataResponse
		var described datasource.SchemaResponse
		one := newOne()
		one.Metadata(ctx, datasource.MetadataRequest{ProviderTypeName: "fleet"}, &name)
		one.Schema(ctx, datasource.SchemaRequest{}, &described)
		walk("data "+name.TypeName, described.Schema)
	}
	if p, is := p.(provider.ProviderWithListResources); is {
		for _, newOne := range p.ListResources(ctx) {
			var name resource.MetadataResponse
			var described list.ListResourceSchemaResponse
			one := newOne()
			one.Metadata(ctx, resource.MetadataRequest{ProviderTypeName: "fleet"}, &name)
			one.ListResourceConfigSchema(ctx, list.ListResourceSchemaRequest{}, &described)
			walk("list "+name.TypeName, described.Schema)
		}
	}
	if p, is := p.(provider.ProviderWithActions); is {
		for _, newOne := range p.Actions(ctx) {
			var name action.MetadataResponse
			var described action.SchemaResponse
			one := newOne()
			one.Metadata(ctx, action.MetadataRequest{ProviderTypeName: "fleet"}, &name)
			one.Schema(ctx, action.SchemaRequest{}, &described)
			walk("action "+name.TypeName, described.Schema)
		}
	}
	if p, is := p.(provider.ProviderWithEphemeralResources); is {
		for _, newOne := range p.EphemeralResources(ctx) {
			var name ephemeral.MetadataResponse
			var described ephemeral.SchemaResponse
			one := newOne()
			one.Metadata(ctx, ephemeral.MetadataRequest{ProviderTypeName: "fleet"}, &name)
			one.Schema(ctx, ephemeral.SchemaRequest{}, &described)
			walk("ephemeral "+name.TypeName, described.Schema)
		}
	}
}

var (
	quoted = regexp.MustCompile(`"([^"]*)"`)
	// enumerated is a list of values in a description, as package enum writes it. The domain checks the values of most enumerations, so that their schema
	// has no validator.
	enumerated = regexp.MustCompile("`[A-Z][A-Za-z]+`(?: \\(the default\\))?(?:(?:, | or )`[A-Z][A-Za-z]+`(?: \\(the default\\))?)+")
	inCode     = regexp.MustCompile("`([^`]+)`")
)

// addRulesBelow reads the fields that the schema types of resources, data sources and so on have in common: the types themselves differ.
func addRulesBelow(ctx context.Context, to Schema, prefix string, in reflect.Value) {
	attributes := in.FieldByName("Attributes")
	if nested := in.FieldByName("NestedObject"); nested.IsValid() {
		attributes = nested.FieldByName("Attributes")
	}
	if !attributes.IsValid() {
		return
	}
	for _, key := range attributes.MapKeys() {
		path, value := prefix+key.String(), attributes.MapIndex(key)
		one := to.Attributes[path]
		if limited, is := value.Interface().(interface{ StringValidators() []validator.String }); is {
			for _, v := range limited.StringValidators() {
				if rule, of := strings.CutPrefix(v.Description(ctx), "one of "); of {
					for _, found := range quoted.FindAllStringSubmatch(rule, -1) {
						one.Values = append(one.Values, found[1])
					}
				}
			}
			text, _ := value.Interface().(interface{ GetMarkdownDescription() string })
			if one.Values == nil && one.isArgument() && text != nil {
				for _, found := range inCode.FindAllStringSubmatch(enumerated.FindString(text.GetMarkdownDescription()), -1) {
					one.Values = append(one.Values, found[1])
				}
			}
			slices.Sort(one.Values)
		}
		one.Replaces = replaces(ctx, value.Elem())
		to.Attributes[path] = one
		addRulesBelow(ctx, to, path+".", value.Elem())
	}
}
