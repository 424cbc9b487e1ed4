package acctest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

// TestNamespaceOfAnotherPlacement checks the first apply of two placements: one has a Namespace, the other an object in it. The plan shows the creation of the
// object, and one apply creates it, whether or not one placement depends on the other.
func TestNamespaceOfAnotherPlacement(t *testing.T) {
	for name, dependency := range map[string]string{"home-independent": "", "home-depends": "depends_on = [fleet_crp.home]"} {
		t.Run(name, func(t *testing.T) {
			w := fleet.Open(t, fleet.Newest(t), "", "")
			fleet.MustDestroyAtEnd(t, w)
			harness.Rewrite(t, w, fleet.Provider(fleet.Env.Kubeconfig)+fmt.Sprintf(`
resource "fleet_crp" "guest" {
  name      = "%[1]s-guest"
  manifests = { "map.yaml" = "{apiVersion: v1, kind: ConfigMap, metadata: {name: guest, namespace: %[1]s}}" }
  policy    = { placement_type = "PickFixed", cluster_names = ["member-1", "member-2"] }
  %[2]s
}

resource "fleet_crp" "home" {
  name      = "%[1]s"
  manifests = { "ns.yaml" = "{apiVersion: v1, kind: Namespace, metadata: {name: %[1]s}}" }
  policy    = { placement_type = "PickFixed", cluster_names = ["member-1", "member-2"] }
}
`, name, dependency))
			plan := must(t, w, "plan")
			if strings.Contains(plan, "Warning") || strings.Count(plan, `"2 to create on member-1 and member-2 (when_to_take_over: Always)"`) != 2 {
				t.Errorf("unexpected plan:\n%s", plan)
			}
			must(t, w, "apply", "-auto-approve")
			contains(t, must(t, w, "plan", "-detailed-exitcode"), "No changes")
			fleet.Check(t, "member-2", "v1", "ConfigMap", name, "guest", "guest", "metadata", "name")
			must(t, w, "destroy", "-auto-approve")
			fleet.Absent(t, "member-1", "v1", "Namespace", "", name)
		})
	}
}
