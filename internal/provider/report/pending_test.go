package report

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

// One warning covers an outage of a cluster for all its placements. It omits a placement that names other clusters and was never on this one.
func TestNotChecked(t *testing.T) {
	dead := errors.New("connection refused")
	picked := of(on("member-1"), engine.ClusterPreview{Name: "member-3", Picked: true, Err: dead})
	left := of(on("member-1"), engine.ClusterPreview{Name: "member-3", Remains: true, Err: dead})
	elsewhere := of(on("member-1"), engine.ClusterPreview{Name: "member-3", Err: dead})
	var diags diag.Diagnostics
	placements := map[string]Unchecked{"left": Pending(&diags, left, Plan{NamesClusters: true})}
	for i := range 9 {
		placements[fmt.Sprintf("web-%d", i)] = Pending(&diags, picked, Plan{NamesClusters: i == 0})
	}
	if Pending(&diags, elsewhere, Plan{NamesClusters: true}).Any() || !Pending(&diags, elsewhere, Plan{}).Any() {
		t.Error("a placement that names its clusters is on the others")
	}
	NotChecked(&diags, map[string]Unchecked{"web-0": placements["web-0"]}, always)
	NotChecked(&diags, placements, always)
	NotChecked(&diags, nil, always)
	var text strings.Builder
	for _, d := range diags {
		_, _ = fmt.Fprintf(&text, "%s: %s\n\n%s\n\n", d.Severity(), d.Summary(), d.Detail())
	}
	golden(t, "not-checked", text.String())
}
