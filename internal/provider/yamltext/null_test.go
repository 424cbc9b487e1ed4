package yamltext

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
)

// texts returns manifests; an empty text is null.
func texts(in map[string]string) types.Map {
	elements := map[string]attr.Value{}
	for key, text := range in {
		elements[key] = Value{basetypes.NewStringValue(text)}
		if text == "" {
			elements[key] = Value{basetypes.NewStringNull()}
		}
	}
	return types.MapValueMust(Type{}, elements)
}

// TestKeyWithoutText checks that a key with a null text counts as omitted: it is not a difference, and a refresh preserves it.
func TestKeyWithoutText(t *testing.T) {
	one, null := map[string]string{"a": "{b: c}"}, map[string]string{"a": "b: c", "n": ""}
	for name, c := range map[string]struct {
		state, config map[string]string
		differs       bool
	}{
		"a null is added":   {one, null, false},
		"a null is removed": {null, one, false},
		"a text for a null": {null, map[string]string{"a": "{b: c}", "n": "{}"}, true},
		"a null for a text": {map[string]string{"a": "{b: c}", "n": "{}"}, null, true},
		"another key":       {one, map[string]string{"b": "{b: c}", "a": ""}, true},
	} {
		response := planmodifier.MapResponse{PlanValue: texts(c.config)}
		KeepEquivalent().PlanModifyMap(t.Context(), planmodifier.MapRequest{StateValue: texts(c.state), PlanValue: texts(c.config)}, &response)
		want := c.state
		if c.differs {
			want = c.config
		}
		if !response.PlanValue.Equal(texts(want)) {
			t.Errorf("%s: planned as %s", name, response.PlanValue)
		}
	}
	if read := KeepNulls(texts(one), texts(null)); !read.Equal(texts(map[string]string{"a": "{b: c}", "n": ""})) {
		t.Errorf("read as %s", read)
	}
	if read := KeepNulls(texts(one), types.MapNull(Type{})); !read.Equal(texts(one)) {
		t.Errorf("imported as %s", read)
	}
}
