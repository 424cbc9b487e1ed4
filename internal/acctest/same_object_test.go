package acctest

import (
	"fmt"
	"testing"
)

// Two placements of one run have the same object: the plan of the later one reports that it will not get the object.
func TestSameObjectTwice(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	binary := fleet.Newest(t)
	configuration := fleet.Provider(fleet.Env.Kubeconfig)
	for i, more := range []string{"", "fleet_crp.p0"} {
		configuration += fmt.Sprintf(`
resource "fleet_crp" "p%d" {
  name       = "same-object-%d"
  manifests  = {
    "ns.yaml" = "{apiVersion: v1, kind: Namespace, metadata: {name: same-object}}"
    "cm.yaml" = "{apiVersion: v1, kind: ConfigMap, metadata: {name: own-%d, namespace: same-object}}"
  }
  depends_on = [%s]
}
`, i, i, i, more)
	}
	w := fleet.Open(t, binary, "", configuration)
	out := must(t, w, "apply", "-auto-approve")
	contains(t, out, "6 to create on member-1, member-2 and member-3", `Placement "same-object-1" (3 clusters): 3 conflicts on 3 clusters not taken over, 3 to create`,
		`Namespace same-object on member-1, member-2 and member-3 (another placement "same-object-0") is left to that placement: FailedToTakeOver, `+
			`the placement "same-object-0" of the same run also places it; the placement that is applied first will own it`)
	contains(t, must(t, w, "show"), "FailedToTakeOver")
	fleet.Check(t, "member-2", "v1", "ConfigMap", "same-object", "own-1", "own-1", "metadata", "name")
	contains(t, must(t, w, "plan"), "No changes.")

	// Terraform first removes the second placement, which has an object in the Namespace of the first one.
	contains(t, must(t, w, "destroy", "-auto-approve"), `Namespace same-object (it contains nothing else once placement "same-object-1" is removed)`)
	fleet.Absent(t, "member-1", "v1", "Namespace", "", "same-object")
}
