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

// The framework logs the String of values whose type compares their meaning, whatever is marked as sensitive.
func TestCustomTypesDoNotLogTheirContent(t *testing.T) {
	const planted = "planted-secret"
	var all []attr.Type
	p := New("test", nil)()
	for _, newResource := range p.Resources(t.Context()) {
		var described resource.SchemaResponse
		newResource().Schema(t.Context(), resource.SchemaRequest{}, &described)
		all = append(all, leaves(described.Schema.Type())...)
	}
	for _, newDataSource := range p.DataSources(t.Context()) {
		var described datasource.SchemaResponse
		newDataSource().Schema(t.Context(), datasource.SchemaRequest{}, &described)
		all = append(all, leaves(described.Schema.Type())...)
	}
	checked := 0
	for _, one := range all {
		value, err := one.ValueFromTerraform(t.Context(), tftypes.NewValue(tftypes.String, planted))
		if err != nil {
			t.Fatal(err)
		}
		if _, compares := value.(basetypes.StringValuableWithSemanticEquals); !compares {
			continue
		}
		checked++
		if strings.Contains(value.String(), planted) {
			t.Errorf("%s is logged as %s", one, value)
		}
	}
	if checked == 0 {
		t.Error("no type was checked")
	}
}

// leaves are the types of the texts in a type.
func leaves(in attr.Type) []attr.Type {
	switch in := in.(type) {
	case attr.TypeWithAttributeTypes:
		var out []attr.Type
		for _, one := range in.AttributeTypes() {
			out = append(out, leaves(one)...)
		}
		return out
	case attr.TypeWithElementType:
		return leaves(in.ElementType())
	case basetypes.StringTypable:
		return []attr.Type{in}
	default:
		return nil
	}
}
