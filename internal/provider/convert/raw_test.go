package convert_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
)

// object returns an object with the texts a and b, and a list of texts; nil is null.
func object(a, b any, list ...any) tftypes.Value {
	texts := tftypes.List{ElementType: tftypes.String}
	elements := []tftypes.Value{}
	for _, element := range list {
		elements = append(elements, tftypes.NewValue(tftypes.String, element))
	}
	return tftypes.NewValue(
		tftypes.Object{AttributeTypes: map[string]tftypes.Type{"a": tftypes.String, "b": tftypes.String, "list": texts}},
		map[string]tftypes.Value{
			"a": tftypes.NewValue(tftypes.String, a), "b": tftypes.NewValue(tftypes.String, b), "list": tftypes.NewValue(texts, elements),
		})
}

func none() tftypes.Value { return tftypes.NewValue(object(nil, nil).Type(), nil) }

func TestKnown(t *testing.T) {
	unknown := tftypes.UnknownValue
	for name, c := range map[string]struct {
		value  tftypes.Value
		except []string
		want   bool
	}{
		"everything":           {object("1", nil, "x"), nil, true},
		"nothing at all":       {none(), []string{"a"}, true},
		"a part is not":        {object("1", unknown), nil, false},
		"an element is not":    {object("1", "2", "x", unknown), []string{"a", "b"}, false},
		"what is excepted":     {object("1", unknown), []string{"b"}, true},
		"more than excepted":   {object(unknown, unknown), []string{"b"}, false},
		"the whole":            {tftypes.NewValue(none().Type(), unknown), nil, false},
		"the whole, excepting": {tftypes.NewValue(none().Type(), unknown), []string{"a", "b", "list"}, false},
	} {
		if got := convert.Known(c.value, c.except...); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestDiffers(t *testing.T) {
	for name, c := range map[string]struct {
		plan, state tftypes.Value
		except      []string
		want        bool
	}{
		"same":              {object("1", "2", "x"), object("1", "2", "x"), nil, false},
		"another text":      {object("1", "2"), object("1", "3"), nil, true},
		"in what is left":   {object("1", "2"), object("1", "3"), []string{"b"}, false},
		"and in the rest":   {object("0", "2"), object("1", "3"), []string{"b"}, true},
		"an element more":   {object("1", "2", "x"), object("1", "2"), nil, true},
		"null and empty":    {object("1", ""), object("1", nil), nil, true},
		"not known":         {object("1", tftypes.UnknownValue), object("1", "2"), nil, true},
		"created":           {object("1", "2"), none(), []string{"a", "b", "list"}, true},
		"deleted":           {none(), object("1", "2"), nil, true},
		"neither was there": {none(), none(), nil, false},
	} {
		if got := convert.Differs(c.plan, c.state, c.except...); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
