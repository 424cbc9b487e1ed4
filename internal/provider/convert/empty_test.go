package convert_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
)

func TestEmptyObjects(t *testing.T) {
	inner := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"when_to_take_over": tftypes.String, "type": tftypes.String}}
	outer := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"apply_strategy": inner, "label_selector": inner}}
	whole := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"strategy": outer}}
	object := func(kind tftypes.Object, name string, value tftypes.Value) tftypes.Value {
		fields := map[string]tftypes.Value{}
		for key, attribute := range kind.AttributeTypes {
			fields[key] = tftypes.NewValue(attribute, nil)
		}
		if name != "" {
			fields[name] = value
		}
		return tftypes.NewValue(kind, fields)
	}
	none := tftypes.Value{}
	for name, c := range map[string]struct {
		in   tftypes.Value
		want string
	}{
		"left out":       {object(whole, "", none), ""},
		"empty":          {object(whole, "strategy", object(outer, "", none)), "Empty object strategy:"},
		"empty below":    {object(whole, "strategy", object(outer, "apply_strategy", object(inner, "", none))), "Empty object strategy.apply_strategy:"},
		"the keys":       {object(whole, "strategy", object(outer, "apply_strategy", object(inner, "", none))), "The keys are type, when_to_take_over."},
		"matches all":    {object(whole, "strategy", object(outer, "label_selector", object(inner, "", none))), ""},
		"not known":      {object(whole, "strategy", tftypes.NewValue(outer, tftypes.UnknownValue)), ""},
		"one is not yet": {object(whole, "strategy", object(outer, "apply_strategy", object(inner, "type", tftypes.NewValue(tftypes.String, tftypes.UnknownValue)))), ""},
	} {
		var diags diag.Diagnostics
		convert.EmptyObjects(c.in, &diags)
		if (c.want == "") != (len(diags) == 0) || len(diags) > 1 {
			t.Errorf("%s: %v", name, diags)
			continue
		}
		if c.want != "" && (!strings.Contains(diags[0].Summary()+": "+diags[0].Detail(), c.want) || !diags[0].(diag.DiagnosticWithPath).Path().Equal(path.Root("strategy"))) {
			t.Errorf("%s: %v", name, diags)
		}
	}
}
