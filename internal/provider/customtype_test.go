package provider

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// TestCustomTypesDoNotLogTheirContent checks the String method of semantic equality types: the framework logs its result, even for sensitive values.
func TestCustomTypesDoNotLogTheirContent(t *testing.T) {
	const planted = "planted-secret"
	var all []attr.Type
	p := New("test", nil)()
	for _, newResource := range p.Resources(t.Context()) {
		var described resource.SchemaResponse
		newResource().Schema(t.Context(), resource.SchemaRequest{}, &described)
		all = append(all, listTextTypes(described.Schema.Type())...)
	}
	for _, newDataSource := range p.DataSources(t.Context()) {
		var described datasource.SchemaResponse
		newDataSource().Schema(t.Context(), datasource.SchemaRequest{}, &described)
		all = append(all, listTextTypes(described.Schema.Type())...)
	}
	checked := 0
	for _, textType := range all {
		value, err := textType.ValueFromTerraform(t.Context(), tftypes.NewValue(tftypes.String, planted))
		if err != nil {
			t.Fatal(err)
		}
		if _, compares := value.(basetypes.StringValuableWithSemanticEquals); !compares {
			continue
		}
		checked++
		if strings.Contains(value.String(), planted) {
			t.Errorf("%s is logged as %s", textType, value)
		}
	}
	if checked == 0 {
		t.Error("no type was checked")
	}
}

// listTextTypes returns the types of the texts in a type.
func listTextTypes(in attr.Type) []attr.Type {
	switch in := in.(type) {
	case attr.TypeWithAttributeTypes:
		var out []attr.Type
		for _, textType := range in.AttributeTypes() {
			out = append(out, listTextTypes(textType)...)
		}
		return out
	case attr.TypeWithElementType:
		return listTextTypes(in.ElementType())
	case basetypes.StringTypable:
		return []attr.Type{in}
	default:
		return nil
	}
}
