package quantity

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, good := range []string{"4", "500m", "16Gi", "1e3", "1E3", "1E", "1.5e-3", "1e+03", "-1", "1e0000003"} {
		if _, err := Parse(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	// Each of these would take seconds or more.
	for _, bad := range []string{
		"1e9999999", "1e-9999999", "1E9999999", "1e99999", "1e+99999", "-1e99999", "1e00000099999", strings.Repeat("9", 1<<20), "", "a", "1x",
	} {
		if got, err := Parse(bad); err == nil {
			t.Errorf("%.20s is %v", bad, got)
		}
	}
}
