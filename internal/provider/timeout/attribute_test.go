package timeout

import (
	"maps"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// TestAttribute checks that every operation has a description and rejects invalid durations.
func TestAttribute(t *testing.T) {
	nested, ok := Attribute(t.Context(), timeouts.Opts{Create: true, CreateDescription: "Of creates.", Delete: true, DeleteDescription: "Of deletes."}).(schema.SingleNestedAttribute)
	if !ok || nested.MarkdownDescription == "" {
		t.Fatalf("%#v", nested)
	}
	if got := slices.Sorted(maps.Keys(nested.Attributes)); !slices.Equal(got, []string{"create", "delete"}) {
		t.Fatalf("operations: %v", got)
	}
	for name, attribute := range nested.Attributes {
		text, ok := attribute.(schema.StringAttribute)
		if !ok || text.Description+text.MarkdownDescription == "" {
			t.Fatalf("%s: %#v", name, attribute)
		}
		for given, valid := range map[string]bool{"30m": true, "0s": false, "30": false} {
			var response validator.StringResponse
			for _, v := range text.Validators {
				v.ValidateString(t.Context(), validator.StringRequest{Path: path.Root("timeouts").AtName(name), ConfigValue: types.StringValue(given)}, &response)
			}
			if response.Diagnostics.HasError() == valid {
				t.Errorf("%s %q: %v", name, given, response.Diagnostics)
			}
		}
	}
}
