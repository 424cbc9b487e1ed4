package validate

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func TestDuration(t *testing.T) {
	for text, want := range map[string]string{"90s": "", "2h": "", "-5m": "longer than zero", "0s": "longer than zero", "soon": "a number with a unit", "10": "a number with a unit"} {
		var response validator.StringResponse
		String("time", Duration).ValidateString(t.Context(), validator.StringRequest{
			Path: path.Root("timeouts").AtName("create"), ConfigValue: types.StringValue(text),
		}, &response)
		switch {
		case want == "" && response.Diagnostics.HasError(), want != "" && len(response.Diagnostics) != 1:
			t.Errorf("%s: %v", text, response.Diagnostics)
		case want != "" && (!strings.Contains(response.Diagnostics[0].Detail(), want) || !strings.HasPrefix(response.Diagnostics[0].Detail(), "timeouts.create: ")):
			t.Errorf("%s: %v", text, response.Diagnostics)
		}
	}
}

func TestShortName(t *testing.T) {
	for length, want := range map[int]string{63: "", 64: "it has 64 characters, and may have 63, because labels hold it"} {
		var response validator.StringResponse
		ShortName().ValidateString(t.Context(), validator.StringRequest{
			Path: path.Root("name"), ConfigValue: types.StringValue(strings.Repeat("a", length)),
		}, &response)
		if got := response.Diagnostics; (want == "") != (len(got) == 0) || want != "" && !strings.Contains(got[0].Detail(), want) {
			t.Errorf("%d: %v", length, got)
		}
	}
}
