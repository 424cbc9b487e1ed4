package kubefleet

import (
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/world"
)

// If a destroy times out before the members have deleted the objects, the next destroy completes it. Until then the placement stays in the state, and a plan
// says what the removal waits for.
func TestDestroyThatTimedOut(t *testing.T) {
	if agents == nil {
		t.Skip("the agents of a real hub cannot be stopped from here")
	}
	w := world.New(t, env, "unclean")
	w.Put("hub", app)
	run := newWorkspace(t, provider(env.Kubeconfig)+hub.Members+w.Expand(`
resource "fleet_crp" "app" {
  name               = "$ns"
  resource_selectors = [{ group = "", version = "v1", kind = "Namespace", name = "$ns-app" }]
  timeouts           = { delete = "5s" }
  depends_on         = [fleet_member_cluster.member]
}
`))
	must(t, run, "apply", "-auto-approve")
	agents.Pause("member-2")
	t.Cleanup(func() { agents.Resume("member-2") })
	out, err := run.Run(t.Context(), nil, "destroy", "-auto-approve", "-no-color", "-target=fleet_crp.app")
	if err == nil {
		t.Fatalf("the placement is no longer in the state:\n%s", out)
	}
	contains(t, out, "not removed yet from", "member-2", "another destroy waits for that")

	contains(t, must(t, run, "plan", "-destroy", "-target=fleet_crp.app"), "is already deleted on the hub", "DELETED on member-2", "2 to delete", "1 to destroy")
	agents.Resume("member-2")
	w.Eventually("the destroy succeeds", func() bool { // or the refresh removes the placement, if the agent was faster
		out, err := run.Run(t.Context(), nil, "destroy", "-auto-approve", "-no-color", "-target=fleet_crp.app")
		if err != nil {
			contains(t, out, "not removed yet from") // an overloaded machine may need longer than the destroy waits
		}
		return err == nil
	})
	if kept := must(t, run, "state", "list"); strings.Contains(kept, "fleet_crp") {
		t.Errorf("still in the state:\n%s", kept)
	}
	if w.Find("member-2", "v1 Namespace $ns-app") != nil {
		t.Error("the namespace is still on member-2")
	}
}
