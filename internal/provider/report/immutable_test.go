package report

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// The error about an immutable argument says how to run a destroy nevertheless.
func TestImmutable(t *testing.T) {
	before := placement.Spec{Policy: &placement.Policy{Tolerations: []placement.Toleration{{Key: "a"}}}, StatusReportingScope: placement.NamespaceAccessible}
	var diags diag.Diagnostics
	Immutable(&diags, "a placement", placement.ValidateChange(before, placement.Spec{}))
	Immutable(&diags, "an override", override.ValidateChange(nil, &override.PlacementReference{Name: "web"}))
	if len(diags) != 3 {
		t.Fatalf("%v", diags)
	}
	for _, d := range diags {
		if d.Severity() != diag.SeverityError || !strings.HasPrefix(d.Summary(), "Immutable argument of a") || !strings.Contains(d.Detail(), "-refresh=false") {
			t.Errorf("%s: %s", d.Summary(), d.Detail())
		}
	}
}
