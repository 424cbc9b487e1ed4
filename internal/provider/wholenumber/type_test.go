package wholenumber

import (
	"math/big"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr/xattr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

func TestValidateAttribute(t *testing.T) {
	for name, c := range map[string]struct {
		in   any
		want string
	}{
		"whole": {big.NewFloat(3), ""}, "null": {nil, ""}, "unknown": {tftypes.UnknownValue, ""}, "negative": {big.NewFloat(-7), ""},
		"a fraction": {big.NewFloat(2.5), "Invalid number in policy.number_of_clusters: The number is not a whole number."},
		"too large":  {big.NewFloat(99999999999), "Invalid number in policy.number_of_clusters: The number is out of range: it must be between -2147483648 and 2147483647."},
		"far off":    {big.NewFloat(1e300), "Invalid number in policy.number_of_clusters: The number is out of range: it must be between -2147483648 and 2147483647."},
	} {
		value, err := Type{}.ValueFromTerraform(t.Context(), tftypes.NewValue(tftypes.Number, c.in))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var response xattr.ValidateAttributeResponse
		at := path.Root("policy").AtName("number_of_clusters")
		value.(Value).ValidateAttribute(t.Context(), xattr.ValidateAttributeRequest{Path: at}, &response)
		got := ""
		for _, d := range response.Diagnostics {
			got = d.Summary() + ": " + d.Detail()
		}
		if got != c.want || strings.Contains(got, "%") {
			t.Errorf("%s: %q", name, got)
		}
	}
}
