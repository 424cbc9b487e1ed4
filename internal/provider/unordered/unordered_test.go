package unordered

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// list returns a list of texts; "?" is unknown.
func list(texts ...string) types.List {
	elements := []attr.Value{}
	for _, text := range texts {
		value := types.StringValue(text)
		if text == "?" {
			value = types.StringUnknown()
		}
		elements = append(elements, value)
	}
	return types.ListValueMust(types.StringType, elements)
}

func TestKeepOrder(t *testing.T) {
	null, unknown := types.ListNull(types.StringType), types.ListUnknown(types.StringType)
	for name, c := range map[string]struct {
		state, config types.List
		isKept        bool
	}{
		"another order":         {list("a", "b", "c"), list("c", "a", "b"), true},
		"the same order":        {list("a", "b"), list("a", "b"), true},
		"another element":       {list("a", "b"), list("b", "c"), false},
		"one more":              {list("a", "b"), list("b", "a", "c"), false},
		"one less":              {list("a", "b"), list("b"), false},
		"another one twice":     {list("a", "a", "b"), list("b", "b", "a"), false},
		"not known in part":     {list("a", "b"), list("?", "a"), false},
		"not known":             {list("a"), unknown, false},
		"left out now":          {list("a"), null, false},
		"left out until now":    {null, list("a"), false},
		"empty, and known both": {list(), list(), true},
	} {
		response := planmodifier.ListResponse{PlanValue: c.config}
		KeepOrder().PlanModifyList(t.Context(), planmodifier.ListRequest{StateValue: c.state, PlanValue: c.config}, &response)
		want := c.config
		if c.isKept {
			want = c.state
		}
		if !response.PlanValue.Equal(want) {
			t.Errorf("%s: planned as %s", name, response.PlanValue)
		}
	}
}
