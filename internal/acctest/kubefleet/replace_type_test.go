package kubefleet

import (
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/world"
)

// A hub's API does not allow a change of the placement type or the name: the plan replaces the placement and lists the deleted objects first, and so does the
// report.
func TestPlacementTypeReplaces(t *testing.T) {
	fleet.Parallel(t)
	w := world.New(t, env, "retyped", env.Hub)
	configuration := func(policy string) string {
		return provider(env.Kubeconfig) + w.Expand(`
resource "fleet_crp" "p" {
  name               = "$ns"
  resource_selectors = [{ group = "", version = "v1", kind = "Namespace", name = "$ns" }]
  policy             = `+policy+`
}
locals {
  placed = fleet_crp.p.name
}
data "fleet_placement_preview" "p" {
  name = local.placed
}
`)
	}
	run := newWorkspace(t, configuration(`{ placement_type = "PickFixed", cluster_names = ["member-1"] }`))
	must(t, run, "apply", "-auto-approve")
	write(t, run.Dir, configuration(`{ placement_type = "PickAll" }`))
	out := must(t, run, "plan", "-out=saved")
	contains(t, out, "must be replaced", "will be REPLACED: 1 to delete", "Another placement_type means another placement")
	if strings.Contains(out, "updated in-place") {
		t.Error(out)
	}
	contains(t, workspace.Report(t, run, "saved"), "will be REPLACED: ", "1 to delete", "the `placement_type` changes", w.Expand("| `Namespace $ns` | `member-1` | **deleted**"))
	write(t, run.Dir, strings.Replace(configuration(`{ placement_type = "PickFixed", cluster_names = ["member-1"] }`), `name               = "`, `name               = "other-`, 1))
	out = must(t, run, "plan", "-out=saved")
	contains(t, out, "must be replaced", "will be REPLACED: 1 to delete", "Another name means another placement", "1 to create on member-1")
	if strings.Contains(out, "updated in-place") || strings.Contains(out, "is renamed") {
		t.Error(out)
	}
	contains(t, workspace.Report(t, run, "saved"), w.Expand("### Placement `other-$ns` (1 cluster) will be REPLACED: 1 to create, 1 to delete"),
		"the name changes", w.Expand("| `Namespace $ns` | `member-1` | **deleted**"))
}
