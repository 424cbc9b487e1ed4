package acctest

import (
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

// A placement with ReportDiff writes no objects and reports differences in its status. A placement that does not overwrite drift reports the drifted fields.
func TestReportDiffAndDrift(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := fleet.Open(t, fleet.Newest(t), "", "")
	configuration := func(strategy string) string {
		return fleet.Provider(fleet.Env.Kubeconfig) + `
resource "fleet_crp" "compared" {
  name      = "compared"
  manifests = { "all.yaml" = <<-YAML
    {apiVersion: v1, kind: Namespace, metadata: {name: compared}}
    ---
    {apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: compared}, data: {size: large}}
  YAML
  }
  policy   = { placement_type = "PickFixed", cluster_names = ["member-2"] }
  strategy = { apply_strategy = { ` + strategy + ` } }
}
data "fleet_crp" "compared" {
  name       = "compared"
  depends_on = [fleet_crp.compared]
}
locals {
  status = data.fleet_crp.compared.status.placement_statuses["member-2"]
}
output "diffs" {
  value = { for p in local.status.diffed_placements : "${p.kind} ${p.name}" => p.observed_diffs }
}
output "drifts" {
  value = { for p in local.status.drifted_placements : "${p.kind} ${p.name}" => p.observed_drifts }
}
output "conditions" {
  value = { for type, c in local.status.conditions : type => "${c.status} ${c.reason}" }
}
`
	}
	harness.Rewrite(t, w, configuration(`type = "ReportDiff"`))
	fleet.DestroyAtEnd(t, w)
	fleet.Put(t, "member-2", "{apiVersion: v1, kind: Namespace, metadata: {name: compared}}\n---\n"+
		"{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: compared}, data: {size: small, more: theirs}}")
	contains(t, must(t, w, "apply", "-auto-approve"), "Reported only", "ConfigMap compared/settings", `data.size: "small" -> `)
	contains(t, must(t, w, "output"), `"path" = "/data/size"`, `"value_in_hub" = "large"`, `"value_in_member" = "small"`, "AllWorkHaveDiffReported")
	contains(t, must(t, w, "show"), `"member-2: ConfigMap compared/settings: differs: /data/size"`, `"DiffReported"`)
	if out := must(t, w, "output"); strings.Contains(out, "Namespace compared") || strings.Contains(out, "/data/more") {
		t.Errorf("the status reports an object without differences:\n%s", out)
	}
	fleet.Check(t, "member-2", "v1", "ConfigMap", "compared", "settings", "small", "data", "size")
	contains(t, must(t, w, "plan"), "No changes.")

	harness.Rewrite(t, w, configuration(`when_to_apply = "IfNotDrifted"`))
	contains(t, must(t, w, "apply", "-auto-approve"), "2 existing objects on member-2 to take over")
	fleet.Check(t, "member-2", "v1", "ConfigMap", "compared", "settings", "large", "data", "size")
	if err := fleet.On(t, "member-2").Patch(t.Context(), "v1", "ConfigMap", "compared", "settings", `{"data":{"size":"medium"}}`); err != nil {
		t.Fatal(err)
	}
	contains(t, must(t, w, "apply", "-refresh-only", "-auto-approve"), "FoundDrifts", "/data/size")
	contains(t, must(t, w, "output"), "ConfigMap settings", `"value_in_hub" = "large"`, `"value_in_member" = "medium"`)
	contains(t, must(t, w, "plan"), "No changes.")
	fleet.Check(t, "member-2", "v1", "ConfigMap", "compared", "settings", "medium", "data", "size")
}
