package convert_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
)

func texts(in map[string]attr.Value) types.Map { return types.MapValueMust(types.StringType, in) }

// TestNullElements checks that null elements of lists and maps are omitted at any depth.
func TestNullElements(t *testing.T) {
	var diags diag.Diagnostics
	a, null := types.StringValue("a"), types.StringNull()
	if got := convert.FromMap[string](t.Context(), texts(map[string]attr.Value{"a": a, "n": null}), &diags); !cmp.Equal(got, map[string]string{"a": "a"}) {
		t.Errorf("%v", got)
	}
	if got := convert.FromList[string](t.Context(), types.ListValueMust(types.StringType, []attr.Value{null, a}), &diags); !cmp.Equal(got, []string{"a"}) {
		t.Errorf("%v", got)
	}
	type inner struct {
		Labels map[string]string `tfsdk:"labels"`
		Text   *string           `tfsdk:"text"`
	}
	kinds := map[string]attr.Type{"labels": types.MapType{ElemType: types.StringType}, "text": types.StringType}
	object := types.ObjectValueMust(kinds, map[string]attr.Value{"labels": texts(map[string]attr.Value{"n": null}), "text": null})
	if got := convert.FromObject[inner](t.Context(), object, &diags); !cmp.Equal(got, &inner{Labels: map[string]string{}}) {
		t.Errorf("%+v", got)
	}
	if len(diags) > 0 {
		t.Error(diags)
	}
}

func TestAsWritten(t *testing.T) {
	a, null := types.StringValue("a"), types.StringNull()
	one, withNull, nulls := map[string]attr.Value{"a": a}, map[string]attr.Value{"a": a, "n": null}, map[string]attr.Value{"n": null}
	none := types.MapNull(types.StringType)
	for name, c := range map[string]struct{ read, written, want types.Map }{
		"as written":       {texts(one), texts(withNull), texts(withNull)},
		"another value":    {texts(map[string]attr.Value{"a": types.StringValue("b")}), texts(withNull), texts(map[string]attr.Value{"a": types.StringValue("b")})},
		"the key is there": {texts(map[string]attr.Value{"a": a, "n": a}), texts(withNull), texts(map[string]attr.Value{"a": a, "n": a})},
		"nulls alone":      {none, texts(nulls), texts(nulls)},
		"nulls and empty":  {texts(nil), texts(nulls), texts(nulls)},
		"no nulls":         {none, texts(nil), none},
		"not written":      {texts(one), none, texts(one)},
	} {
		if got := convert.AsWritten(t.Context(), c.read, c.written); !got.Equal(c.want) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
