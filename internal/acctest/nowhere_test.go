package acctest

import (
	"fmt"
	"testing"
)

// Two placements of one run that have the same object: the one that is planned later says that it will not get it.
func TestSameObjectTwice(t *testing.T) {
	binary := fleet.Newest(t)
	configuration := fleet.Provider(fleet.Env.Kubeconfig)
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
	w := fleet.Open(t, binary, "", configuration)
	fleet.DestroyAtEnd(t, w)
	contains(t, must(t, w, "plan"), `Placement "shared-0" (3 clusters): 6 to create`, `Placement "shared-1" (3 clusters): 3 conflicts on 3 clusters left alone, 3 to create`,
		`Namespace shared on member-1, member-2 and member-3 (another placement "shared-0") is left to that: FailedToTakeOver, `+
			`the placement "shared-0" of the same run places it too, and the one that is applied first has it`)
	contains(t, must(t, w, "apply", "-auto-approve"), "shared-1")
	contains(t, must(t, w, "show"), "FailedToTakeOver")
	fleet.Check(t, "member-2", "v1", "ConfigMap", "shared", "own-1", "own-1", "metadata", "name")
	contains(t, must(t, w, "plan"), "No changes.")
}
