package report

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
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

// TestForeignAdviceOnHub checks that the plan of a placement on a hub does not demand that objects of KubeFleet are removed from it first. They may belong to
// another placement of the same hub, which can hand them over.
func TestForeignAdviceOnHub(t *testing.T) {
	work := takeover.Owner{Kind: takeover.OwnerKubeFleet, Name: "web-work", Exclusive: true}
	for _, onHub := range []bool{false, true} {
		preview := of(on("member-1", met(placement.TakeOverAlways, namespace, work)))
		if onHub {
			preview.Hub = &engine.HubPreview{}
		}
		var diags diag.Diagnostics
		Preview(&diags, preview, Plan{Strategy: strategy(placement.TakeOverAlways)})
		text := diags[0].Detail()
		if strings.Contains(text, "in takes_over_from") != onHub || strings.Contains(text, "must be removed from there first") == onHub ||
			strings.Contains(text, "belongs to no placement of this hub") != onHub {
			t.Errorf("on a hub %v: %s", onHub, text)
		}
	}
}
