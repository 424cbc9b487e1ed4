package report

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// TestForeignAdvice checks that a plan names takes_over_from for a placement that the run manages, and both arguments for one that may be in no state any more.
func TestForeignAdvice(t *testing.T) {
	preview := of(on("member-1", met(placement.TakeOverAlways, namespace, first)))
	for name, c := range map[string]struct {
		managed func(string) bool
		removed bool
	}{
		"managed":     {func(name string) bool { return name == "first" }, false},
		"not managed": {func(name string) bool { return name != "first" }, true},
		"unknown":     {nil, true},
	} {
		var diags diag.Diagnostics
		Preview(&diags, preview, Plan{Strategy: strategy(placement.TakeOverAlways), Managed: c.managed})
		text := diags[0].Detail()
		if !strings.Contains(text, "name that placement in takes_over_from") || strings.Contains(text, "takes_over_from_removed") != c.removed ||
			strings.Contains(text, "KubeFleet") {
			t.Errorf("%s: %s", name, text)
		}
	}
}
