package kubefleet

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/world"
)

// A hub whose agent does not run still reports the old status as complete. The apply says that the hub has not observed the change, and later plans retry until
// the hub has observed it: on its own, or while an apply waits.
func TestSilentHub(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	if agents == nil {
		t.Skip("the agent of a real hub cannot be stopped from here")
	}
	w := world.New(t, env, "silent-hub")
	w.Put("hub", `{apiVersion: v1, kind: Namespace, metadata: {name: $ns-app}}`)
	run := newWorkspace(t, provider(env.Kubeconfig)+hub.Members+w.Expand(`
variable "pods" { default = "1" }
variable "history" { default = 10 }
variable "patience" { default = "2m" }
resource "fleet_envelope_configmap" "quota" {
  name      = "quota"
  namespace = "$ns-app"
  manifests = { "quota.yaml" = yamlencode({
    apiVersion = "v1", kind = "ResourceQuota", metadata = { name = "quota", namespace = "$ns-app" }, spec = { hard = { pods = var.pods } }
  }) }
}
resource "fleet_crp" "app" {
  name                   = "$ns"
  resource_selectors     = fleet_envelope_configmap.quota.resource_selectors
  revision_history_limit = var.history
  strategy               = { type = "RollingUpdate", rolling_update = { max_unavailable = "100%" } }
  timeouts               = { update = var.patience }
  depends_on             = [fleet_member_cluster.member]
}
`))
	must(t, run, "apply", "-auto-approve")
	for _, change := range []string{"-var=pods=2", "-var=history=5"} {
		t.Run(change, func(t *testing.T) {
			agents.Pause("")
			t.Cleanup(func() { agents.Resume("") })
			out, err := run.Run(t.Context(), nil, "apply", "-auto-approve", "-no-color", change, "-var=patience=10s")
			if err == nil {
				t.Errorf("the apply does not report it:\n%s", out)
			}
			contains(t, out, "is not complete", "Check that the hub agent is running")
			contains(t, must(t, run, "plan", change), "1 to change")
			agents.Resume("")
			must(t, run, "apply", "-auto-approve", change)
			contains(t, must(t, run, "plan", change), "No changes.")
		})
	}
}
