package acctest

import (
	"fmt"
	"strings"
	"testing"
)

// A placement that ends on no cluster says so, and why, until it is on one. One that asks for no cluster is content.
func TestPlacementOnNoCluster(t *testing.T) {
	binary := newest(t)
	configuration := func(policy, more string) string {
		return provider(env.Kubeconfig) + `
resource "fleet_crp" "p" {
  name      = "nowhere"
  manifests = { "ns.yaml" = "{apiVersion: v1, kind: Namespace, metadata: {name: nowhere}}" }
  policy    = ` + policy + more + `
}
`
	}
	w := newWorkspace(t, binary, "", configuration(`{ placement_type = "PickAll" }`, ""))
	destroyAtEnd(t, w)
	const reason = "member-1, member-2 and member-3: not picked: cluster is not connected to the fleet: no fleet_member_cluster registers it, " +
		"or this placement does not depend on the one that does"
	contains(t, must(t, w, "plan"), reason)
	contains(t, must(t, w, "apply", "-auto-approve"), `Placement "nowhere" is not complete`, "it is on no cluster")
	contains(t, must(t, w, "plan"), "fleet_crp.p will be updated in-place", reason)
	contains(t, must(t, w, "apply", "-auto-approve"), `Placement "nowhere" is not complete`, "it is on no cluster")

	rewrite(t, w, configuration(`{ placement_type = "PickAll" }`, "\n"+afterMembers)+members)
	contains(t, must(t, w, "apply", "-auto-approve"), "member-1, member-2 and member-3: create 1 (once it has joined the fleet)")
	contains(t, must(t, w, "plan"), "No changes.")

	none := newWorkspace(t, binary, "", strings.ReplaceAll(configuration(`{ placement_type = "PickN", number_of_clusters = 0 }`, ""), "nowhere", "none"))
	destroyAtEnd(t, none)
	if out := must(t, none, "apply", "-auto-approve"); strings.Contains(out, "on no cluster") {
		t.Error(out)
	}
	if out := must(t, none, "plan"); !strings.Contains(out, "No changes.") || strings.Contains(out, "on no cluster") {
		t.Error(out)
	}
}

// Two placements of one run that have the same object: the one that is planned later says that it will not get it.
func TestSameObjectTwice(t *testing.T) {
	binary := newest(t)
	configuration := provider(env.Kubeconfig) + members
	for i, more := range []string{"", "fleet_crp.p0, "} {
		configuration += fmt.Sprintf(`
resource "fleet_crp" "p%d" {
  name       = "shared-%d"
  manifests  = {
    "ns.yaml" = "{apiVersion: v1, kind: Namespace, metadata: {name: shared}}"
    "cm.yaml" = "{apiVersion: v1, kind: ConfigMap, metadata: {name: own-%d, namespace: shared}}"
  }
  depends_on = [%sfleet_member_cluster.member_1, fleet_member_cluster.member_2, fleet_member_cluster.member_3]
}
`, i, i, i, more)
	}
	w := newWorkspace(t, binary, "", configuration)
	destroyAtEnd(t, w)
	contains(t, must(t, w, "plan"), `Placement "shared-0" (3 clusters): 6 to create`, `Placement "shared-1" (3 clusters): 3 conflicts on 3 clusters left alone, 3 to create`,
		`Namespace shared on member-1, member-2 and member-3 (another placement "shared-0") is left to that: FailedToTakeOver, `+
			`the placement "shared-0" of the same run places it too, and the one that is applied first has it`)
	contains(t, must(t, w, "apply", "-auto-approve"), "shared-1")
	contains(t, must(t, w, "show"), "FailedToTakeOver")
	check(t, "member-2", "v1", "ConfigMap", "shared", "own-1", "own-1", "metadata", "name")
	contains(t, must(t, w, "plan"), "No changes.")
}
