package report

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// A plan names the records that do not verify, the records that are trusted, and the overrides that nothing manages. The plan of a removal names the
// records as well.
func TestTrust(t *testing.T) {
	t.Parallel()
	unproven := unrecorded()
	unproven.RecordProblem = "the signature of the ConfigMap fleet-system/placement-web does not match\x1b[2J"
	second, third := on("member-2", does(takeover.ActionUpdate, deployment)...), on("member-3", does(takeover.ActionNone, deployment)...)
	second.RecordTrusted, third.RecordTrusted = true, true
	preview := of(unproven, second, third)
	preview.Unmanaged = []engine.UnmanagedOverride{{
		AppliedOverride: engine.AppliedOverride{
			Reference: override.Reference{Namespace: "web", Name: "evil"}, Record: "ConfigMap fleet-system/resource-override-web.evil",
		},
		Clusters: []string{"member-2"},
	}}
	var planned, removed diag.Diagnostics
	Preview(&planned, preview, Plan{Strategy: strategy(placement.TakeOverAlways), Shown: true})
	Removal(&removed, preview, Plan{})
	for _, c := range []struct {
		diags diag.Diagnostics
		want  []string
	}{
		{planned, []string{
			"RECORD DOES NOT VERIFY on member-1", "member-1: ", "DOES NOT VERIFY and is not used: the signature of the ConfigMap fleet-system/placement-web",
			"Trusted without verification: the records on member-2 and member-3,", "This apply signs them. Check first that the objects which this plan updates and deletes belong to the placement.",
			"The ResourceOverride web/evil changes objects on member-2", "check the ConfigMap fleet-system/resource-override-web.evil there",
		}},
		{removed, []string{
			"1 cluster WITHOUT A VALID RECORD", "DOES NOT VERIFY and is not used", "Trusted without verification: the records on member-2 and member-3,",
			"They decide what is deleted. Check first that the objects listed here belong to the placement.",
		}},
	} {
		if len(c.diags) != 1 {
			t.Fatalf("%d diagnostics", len(c.diags))
		}
		text := c.diags[0].Summary() + "\n" + c.diags[0].Detail()
		for _, part := range c.want {
			if !strings.Contains(text, part) {
				t.Errorf("%q is not in\n%s", part, text)
			}
		}
		if strings.ContainsRune(text, 0x1b) || strings.Contains(text, "IS MISSING") {
			t.Errorf("it says\n%s", text)
		}
	}
	var nothing, imported diag.Diagnostics
	Trusted(&nothing, `"web"`, nil)
	Trusted(&imported, `"web"`, []string{"member-1"})
	if len(nothing) != 0 || len(imported) != 1 || !strings.Contains(imported[0].Detail(), "the records on member-1, because") ||
		!strings.Contains(imported[0].Detail(), "check that its plan updates and deletes only objects of the placement") {
		t.Errorf("%v, %v", nothing, imported)
	}
}
