package convert_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
)

// TestComputedTextsAreLines checks that texts of computed attributes, which come from clusters, become printable lines, and that values of the user
// remain unchanged.
func TestComputedTextsAreLines(t *testing.T) {
	const hostile, harmless = "a\nb\x1b", `a b\u001b`
	attribute := schema.MapAttribute{Computed: true, ElementType: types.ListType{ElemType: types.StringType}}
	in := map[string][]string{hostile: {hostile}}
	want := func(text string) types.Map {
		return types.MapValueMust(attribute.ElementType, map[string]attr.Value{
			text: types.ListValueMust(types.StringType, []attr.Value{types.StringValue(text)}),
		})
	}
	var diags diag.Diagnostics
	if got := convert.Map(t.Context(), attribute, in, &diags); !got.Equal(want(harmless)) {
		t.Errorf("got %s", got)
	}
	attribute.Optional = true
	if got := convert.Map(t.Context(), attribute, in, &diags); !got.Equal(want(hostile)) {
		t.Errorf("got %s", got)
	}
	if len(diags) > 0 {
		t.Error(diags)
	}
	if got := convert.Line(hostile).ValueString(); got != harmless {
		t.Errorf("got %q", got)
	}
}
