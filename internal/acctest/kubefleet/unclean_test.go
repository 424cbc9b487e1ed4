package kubefleet

import (
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/world"
)

// A destroy that has ended before the members were clean is finished by the next one: the placement is in the state until then, and a plan says
// what that waits for.
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
		t.Fatalf("nothing was left:\n%s", out)
	}
	contains(t, out, "not removed yet from", "member-2", "Destroying again waits for them")

	contains(t, must(t, run, "plan", "-destroy", "-target=fleet_crp.app"), "is deleted on the hub already", "DELETED on member-2", "2 to delete", "1 to destroy")
	agents.Resume("member-2")
	w.Eventually("a destroy finds the members clean", func() bool { // by the refresh, if the agent was quicker
		out, err := run.Run(t.Context(), nil, "destroy", "-auto-approve", "-no-color", "-target=fleet_crp.app")
		if err != nil {
			contains(t, out, "not removed yet from") // a machine without a processor to spare takes longer than the placement waits
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
