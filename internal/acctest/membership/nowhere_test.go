package membership

import (
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

// A placement that picks no cluster warns with the reason until it picks one. A placement that requests no cluster does not warn.
func TestPlacementOnNoCluster(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	binary := fleet.Newest(t)
	configuration := func(policy, more string) string {
		return fleet.Provider(fleet.Env.Kubeconfig) + `
resource "fleet_crp" "p" {
  name      = "nowhere"
  manifests = { "ns.yaml" = "{apiVersion: v1, kind: Namespace, metadata: {name: nowhere}}" }
  policy    = ` + policy + more + `
}
`
	}
	w := fleet.Open(t, binary, "", configuration(`{ placement_type = "PickAll" }`, ""))
	fleet.MustDestroyAtEnd(t, w)
	const reason = "member-1, member-2 and member-3: not picked: cluster is not connected to the fleet: no fleet_member_cluster registers it, " +
		"or this placement does not depend on the one that does"
	contains(t, must(t, w, "plan"), reason)
	contains(t, must(t, w, "apply", "-auto-approve"), `Placement "nowhere" is not complete`, "on no cluster")
	contains(t, must(t, w, "plan"), "fleet_crp.p will be updated in-place", reason)
	contains(t, must(t, w, "apply", "-auto-approve"), `Placement "nowhere" is not complete`, "on no cluster")

	harness.Rewrite(t, w, configuration(`{ placement_type = "PickAll" }`, "\n"+harness.AfterMembers)+harness.Members)
	contains(t, must(t, w, "apply", "-auto-approve"), "3 to create on member-1, member-2 and member-3 (after joining the fleet, when_to_take_over: Always)")
	contains(t, must(t, w, "plan"), "No changes.")

	none := fleet.Open(t, binary, "", strings.ReplaceAll(configuration(`{ placement_type = "PickN", number_of_clusters = 0 }`, ""), "nowhere", "none"))
	fleet.MustDestroyAtEnd(t, none)
	if out := must(t, none, "apply", "-auto-approve"); strings.Contains(out, "on no cluster") {
		t.Error(out)
	}
	if out := must(t, none, "plan"); !strings.Contains(out, "No changes.") || strings.Contains(out, "on no cluster") {
		t.Error(out)
	}
}
