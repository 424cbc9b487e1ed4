package membership

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

// A change of the fleet changes the plan of a placement with an unchanged configuration, even if the placement does not depend on the changed resource. The
// plan lists the clusters that are added and removed, with the reasons.
func TestReplan(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	w := fleet.Open(t, fleet.Newest(t), "", "")
	configuration := func(member1, taints string) string {
		return fleet.Provider(fleet.Env.Kubeconfig) + member1 + `
resource "fleet_member_cluster" "member_2" {
  name   = "member-2"
  labels = { environment = "production" }
}
resource "fleet_member_cluster" "member_3" {
  name   = "member-3"
  labels = { environment = "production" }
  taints = ` + taints + `
}
resource "fleet_crp" "replanned" {
  name      = "replanned"
  manifests = { "ns.yaml" = "{apiVersion: v1, kind: Namespace, metadata: {name: replanned}}" }
  policy = {
    affinity = { cluster_affinity = { required_during_scheduling_ignored_during_execution = { cluster_selector_terms = [
      { label_selector = { match_labels = { environment = "production" } } },
    ] } } }
  }
  depends_on = [fleet_member_cluster.member_2, fleet_member_cluster.member_3]
}
`
	}
	member1 := func(environment string) string {
		return `
resource "fleet_member_cluster" "member_1" {
  name   = "member-1"
  labels = { environment = "` + environment + `" }
}
`
	}
	const tainted = `[{ key = "maintenance", value = "now", effect = "NoSchedule" }]`
	harness.Rewrite(t, w, configuration(member1("staging"), tainted))
	fleet.MustDestroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve")
	fleet.Absent(t, "member-1", "v1", "Namespace", "", "replanned")
	fleet.Check(t, "member-2", "v1", "Namespace", "", "replanned", "Active", "status", "phase")
	fleet.Absent(t, "member-3", "v1", "Namespace", "", "replanned")
	contains(t, must(t, w, "plan"), "No changes.")

	// The members change, one in a label and one in a taint; the placement's own configuration does not.
	harness.Rewrite(t, w, configuration(member1("production"), "[]"))
	members := []string{"apply", "-auto-approve", "-target=fleet_member_cluster.member_1", "-target=fleet_member_cluster.member_3"}
	must(t, w, members...)
	out := must(t, w, "plan")
	contains(t, out, "fleet_crp.replanned will be updated in-place", "2 to create on member-1 and member-3")
	must(t, w, "apply", "-auto-approve")
	fleet.Check(t, "member-1", "v1", "Namespace", "", "replanned", "Active", "status", "phase")
	fleet.Check(t, "member-3", "v1", "Namespace", "", "replanned", "Active", "status", "phase")
	contains(t, must(t, w, "plan"), "No changes.")

	// Later changes of labels and taints do not remove a placement: they are "ignored during execution".
	harness.Rewrite(t, w, configuration(member1("staging"), tainted))
	must(t, w, "apply", "-auto-approve")
	contains(t, must(t, w, "plan"), "No changes.")

	// A cluster that leaves the fleet leaves the placement, and its objects stay on it.
	harness.Rewrite(t, w, configuration("", "[]"))
	must(t, w, members...)
	out = must(t, w, "plan")
	contains(t, out, "fleet_crp.replanned will be updated in-place", "1 to leave on the cluster", "member-1", "no fleet_member_cluster registers it")
	must(t, w, "apply", "-auto-approve")
	fleet.Check(t, "member-1", "v1", "Namespace", "", "replanned", "Active", "status", "phase")
	fleet.Check(t, "member-1", "v1", "Namespace", "", "replanned", nil, "metadata", "labels", "applyset.kubernetes.io/part-of")
	contains(t, must(t, w, "plan"), "No changes.")
	if err := fleet.On(t, "member-1").Delete(t.Context(), "v1", "Namespace", "", "replanned"); err != nil {
		t.Error(err)
	}
}
