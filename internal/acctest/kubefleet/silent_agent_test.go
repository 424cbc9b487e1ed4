package kubefleet

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/world"
)

// If a member's agent does not run, an apply cannot complete: the apply and the next plan say so, and the apply after the agent's return succeeds.
func TestSilentAgent(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	if agents == nil {
		t.Skip("the agents of a real hub cannot be stopped from here")
	}
	w := world.New(t, env, "silent")
	w.Put("hub", app)
	run := newWorkspace(t, provider(env.Kubeconfig)+hub.Members+w.Expand(`
variable "history" { default = 10 }
variable "patience" { default = "2m" }
resource "fleet_crp" "app" {
  name                   = "$ns"
  resource_selectors     = [{ group = "", version = "v1", kind = "Namespace", name = "$ns-app" }]
  revision_history_limit = var.history
  strategy               = { type = "RollingUpdate", rolling_update = { max_unavailable = "100%" } }
  timeouts               = { update = var.patience }
  depends_on             = [fleet_member_cluster.member]
}
`))
	must(t, run, "apply", "-auto-approve")
	agents.Pause("member-2")
	t.Cleanup(func() { agents.Resume("member-2") })
	w.Put("hub", `{apiVersion: v1, kind: ConfigMap, metadata: {name: more, namespace: $ns-app}}`)
	out, err := run.Run(t.Context(), nil, "apply", "-auto-approve", "-no-color", "-var=history=5", "-var=patience=15s")
	if err == nil {
		t.Errorf("the apply does not report it:\n%s", out)
	}
	contains(t, out, "is not complete: 1 cluster", "member-2: ", "member-2: last heartbeat", "timed out")
	contains(t, must(t, run, "plan", "-var=history=5"), "1 to create on member-2", "1 to change")
	agents.Resume("member-2")
	must(t, run, "apply", "-auto-approve", "-var=history=5")
	contains(t, must(t, run, "plan", "-var=history=5"), "No changes.")
}
