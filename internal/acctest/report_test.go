package acctest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/cli"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
)

// TestReportOfPlan publishes the report of a saved plan as the guide does, and checks that the plan after the apply is empty. An output with the report would
// change after each apply that writes objects, so the next plan would not be empty.
func TestReportOfPlan(t *testing.T) {
	for _, binary := range fleet.EveryCLI(t) {
		t.Run(binary.String(), func(t *testing.T) { publishReport(t, binary) })
	}
}

func publishReport(t *testing.T, binary cli.Binary) {
	w := fleet.Open(t, binary, "", "")
	fleet.MustDestroyAtEnd(t, w)
	configure := func(color, more string) {
		t.Helper()
		harness.Rewrite(t, w, fleet.Provider(fleet.Env.Kubeconfig)+fmt.Sprintf(`
resource "fleet_crp" "web" {
  name      = "reported"
  manifests = { "web.yaml" = "{apiVersion: v1, kind: ConfigMap, metadata: {name: reported, namespace: default}, data: {color: %s}}" }
  policy    = { placement_type = "PickFixed", cluster_names = ["member-1"] }
}
locals {
  web = fleet_crp.web.name
}
data "fleet_placement_preview" "web" {
  name = local.web
}
%s`, color, more))
	}
	configure("blue", "")
	must(t, w, "plan", "-out=saved")
	contains(t, workspace.Report(t, w, "saved"), "### Placement `reported` (1 cluster): 1 to create")
	must(t, w, "apply", "saved")
	contains(t, must(t, w, "plan", "-detailed-exitcode", "-out=saved"), "No changes")
	contains(t, workspace.Report(t, w, "saved"), "### Placement `reported` (1 cluster): no object to write")

	configure("green", "")
	must(t, w, "plan", "-out=saved")
	contains(t, workspace.Report(t, w, "saved"), "1 to update", "| `ConfigMap default/reported` | `member-1` | `data.color` | `\"blue\"` |")
	must(t, w, "apply", "saved")
	contains(t, must(t, w, "plan", "-detailed-exitcode"), "No changes")

	// A refresh plans no resource. The report describes the placement in the state.
	must(t, w, "apply", "-refresh-only", "-auto-approve")
	contains(t, must(t, w, "plan", "-refresh-only", "-out=saved"), "No changes")
	contains(t, workspace.Report(t, w, "saved"), "no object to write")

	// This is the reason why the guide does not use an output: with one, the plan after the apply is not empty.
	configure("red", "output \"report\" { value = data.fleet_placement_preview.web.report }\n")
	must(t, w, "apply", "-auto-approve")
	if out, err := w.Run(t.Context(), nil, "plan", "-detailed-exitcode", "-no-color"); err == nil || !strings.Contains(out, "Changes to Outputs") {
		t.Errorf("the guide says that a report in an output changes the next plan, but it did not: %v\n%s", err, out)
	}
}
