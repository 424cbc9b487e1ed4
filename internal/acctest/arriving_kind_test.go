package acctest

import (
	"fmt"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

// TestKindOfAnotherPlacement checks the first apply of two placements: one has a definition, the other an object of the kind. The plan shows the creation of
// the object, and one apply creates it, whether or not one placement depends on the other.
func TestKindOfAnotherPlacement(t *testing.T) {
	for name, dependency := range map[string]string{"kind-independent": "", "kind-depends": "depends_on = [fleet_crp.crds]"} {
		t.Run(name, func(t *testing.T) {
			if dependency != "" && testing.Short() {
				t.Skip("make test-all runs it")
			}
			w := fleet.Open(t, fleet.Newest(t), "", "")
			fleet.MustDestroyAtEnd(t, w)
			harness.Rewrite(t, w, fleet.Provider(fleet.Env.Kubeconfig)+fmt.Sprintf(`
resource "fleet_crp" "crds" {
  name      = "%[1]s-crds"
  manifests = { "crd.yaml" = <<-EOT
    apiVersion: apiextensions.k8s.io/v1
    kind: CustomResourceDefinition
    metadata: {name: widgets.%[1]s.example.com}
    spec:
      group: %[1]s.example.com
      scope: Cluster
      names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
      versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
    EOT
  }
  policy = { placement_type = "PickFixed", cluster_names = ["member-1", "member-2"] }
}

resource "fleet_crp" "widgets" {
  name      = "%[1]s-widgets"
  manifests = { "widget.yaml" = "{apiVersion: %[1]s.example.com/v1, kind: Widget, metadata: {name: one}}" }
  policy    = { placement_type = "PickFixed", cluster_names = ["member-1", "member-2"] }
  %[2]s
}
`, name, dependency))
			contains(t, must(t, w, "plan"),
				fmt.Sprintf(`create on member-1 and member-2 once the placement "%[1]s-crds" provides the kind, not checked: Widget.%[1]s.example.com one`, name))
			must(t, w, "apply", "-auto-approve")
			contains(t, must(t, w, "plan", "-detailed-exitcode"), "No changes")
			must(t, w, "destroy", "-auto-approve")
			for _, member := range []string{"member-1", "member-2"} {
				fleet.Absent(t, member, "apiextensions.k8s.io/v1", "CustomResourceDefinition", "", "widgets."+name+".example.com")
			}
		})
	}
}
