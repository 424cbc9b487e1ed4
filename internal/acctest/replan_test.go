package acctest

import (
	"strings"
	"testing"
)

// A placement whose configuration stays the same is planned anew when the fleet has changed: the plan says which clusters come and go,
// and why.
func TestReplan(t *testing.T) {
	w := newWorkspace(t, newest(t), "", "")
	configuration := func(first, third string) string {
		return provider(env.Kubeconfig) + strings.NewReplacer(
			"FIRST", first, "THIRD", third,
		).Replace(`
resource "fleet_member_cluster" "member_1" {
  name   = "member-1"
  labels = { environment = "FIRST" }
}
resource "fleet_member_cluster" "member_2" {
  name   = "member-2"
  labels = { environment = "production" }
}
resource "fleet_member_cluster" "member_3" {
  name   = "member-3"
  labels = { environment = "production" }
  taints = THIRD
}
resource "fleet_crp" "replanned" {
  name      = "replanned"
  manifests = { "ns.yaml" = "{apiVersion: v1, kind: Namespace, metadata: {name: replanned}}" }
  policy = {
    affinity = { cluster_affinity = { required_during_scheduling_ignored_during_execution = { cluster_selector_terms = [
      { label_selector = { match_labels = { environment = "production" } } },
    ] } } }
  }
  `+afterMembers+`
}
`)
	}
	const tainted = `[{ key = "maintenance", value = "now", effect = "NoSchedule" }]`
	rewrite(t, w, configuration("production", tainted))
	destroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve")
	check(t, "member-1", "v1", "Namespace", "", "replanned", "Active", "status", "phase")
	absent(t, "member-3", "v1", "Namespace", "", "replanned")
	contains(t, must(t, w, "plan"), "No changes.")

	// The members change; the placement's own configuration does not.
	rewrite(t, w, configuration("staging", "[]"))
	must(t, w, "apply", "-auto-approve")
	out := must(t, w, "plan")
	contains(t, out, "fleet_crp.replanned will be updated in-place", "member-1", "no longer picked", "member-3")
	if strings.Contains(squeeze(out), "fleet_member_cluster.member_1 will be updated") {
		t.Errorf("a member is planned anew:\n%s", out)
	}
	must(t, w, "apply", "-auto-approve")
	absent(t, "member-1", "v1", "Namespace", "", "replanned")
	check(t, "member-3", "v1", "Namespace", "", "replanned", "Active", "status", "phase")
	contains(t, must(t, w, "plan"), "No changes.")
}
