package acctest

import (
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

// moduleOfTeams passes on every optional argument, as modules do, so most are null or empty.
const moduleOfTeams = `
variable "secrets" { default = {} }
variable "tier" { default = null }
variable "take_over" { default = null }
variable "clusters" { default = [] }
resource "fleet_crp" "app" {
  name               = "module-defaults"
  resource_selectors = [null, { group = "", version = "v1", kind = "Namespace", name = "module-defaults" }]
  manifests          = { "extra.yaml" = null, "all.yaml" = <<-YAML
    {apiVersion: v1, kind: Namespace, metadata: {name: module-defaults}}
    ---
    {apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: module-defaults}, data: {color: red}}
    YAML
  }
  manifests_wo       = var.secrets
  policy = {
    placement_type              = length(var.clusters) > 0 ? "PickFixed" : null
    cluster_names               = var.clusters
    tolerations                 = []
    topology_spread_constraints = []
    affinity = { cluster_affinity = { required_during_scheduling_ignored_during_execution = {
      cluster_selector_terms = length(var.clusters) > 0 ? null : [null, { label_selector = { match_labels = { tier = var.tier } } }]
    } } }
  }
  strategy = {
    rolling_update = {}
    apply_strategy = { when_to_take_over = var.take_over, server_side_apply_config = { force = null } }
  }
  wait     = { until = null }
  timeouts = {}
}
`

// A configuration that passes null or an empty value for "none" gets neither an error nor advice, and every second plan is empty.
func TestModuleDefaults(t *testing.T) {
	t.Parallel()
	clusters.Need(t, fleet.Env)
	configuration := fleet.Provider(fleet.Env.Kubeconfig) + moduleOfTeams
	w := fleet.Open(t, fleet.Newest(t), "", configuration)
	fleet.DestroyAtEnd(t, w)
	apply := func() {
		t.Helper()
		if out := must(t, w, "apply", "-auto-approve"); strings.Contains(out, "Likely mistake") {
			t.Errorf("the plan takes a null or empty value for a mistake:\n%s", out)
		}
		contains(t, must(t, w, "plan"), "No changes.")
	}
	apply()
	fleet.Check(t, "member-3", "v1", "ConfigMap", "module-defaults", "settings", "red", "data", "color")
	harness.Rewrite(t, w, strings.Replace(configuration, `variable "clusters" { default = [] }`, `variable "clusters" { default = ["member-1"] }`, 1))
	apply()
	fleet.Absent(t, "member-3", "v1", "Namespace", "", "module-defaults")
}
