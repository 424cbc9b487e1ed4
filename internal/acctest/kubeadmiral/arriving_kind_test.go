package kubeadmiral

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/world"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest/fakekubeadmiral"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
)

// TestKindOfAnotherPlacement checks a definition and a Namespace in one placement, and an object of that kind in another: one apply creates all of them, and
// one destroy deletes all of them, in either order of Terraform. If the definition's placement depends on the other one, Terraform destroys it first. Then the
// destroy returns an error, and succeeds without the dependency.
func TestKindOfAnotherPlacement(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	fleet.Parallel(t)
	for name, dependency := range map[string]string{"independent": "", "object-depends": "gadgets", "definition-depends": "definition"} {
		t.Run(name, func(t *testing.T) { kindOfAnother(t, dependency) })
	}
}

// kindOfAnother runs the test. dependent is the placement that depends on the other one, empty for neither.
func kindOfAnother(t *testing.T, dependent string) {
	t.Helper()
	fleet.Parallel(t)
	w := world.New(t, env, "kind", "hub")
	config, err := fakekubeadmiral.TypeConfigText(v1alpha1.APIResource{Group: w.Expand("$ns.example.org"), Version: "v1", Kind: "Gadget", PluralName: "gadgets", Scope: "Namespaced"})
	if err != nil {
		t.Fatal(err)
	}
	w.Put("hub", config)
	text := func(dependent string) string {
		depends := map[string]string{dependent: "depends_on = [fleet_crp." + map[string]string{"gadgets": "definition", "definition": "gadgets"}[dependent] + "]"}
		return fleet.Provider(env.Kubeconfig) + w.Expand(`
resource "fleet_crp" "gadgets" {
  name      = "$ns-gadgets"
  manifests = { gadget = "`+enginetest.Gadget+`" }
  policy    = { placement_type = "PickFixed", cluster_names = ["member-1"] }
  `+depends["gadgets"]+`
}

resource "fleet_crp" "definition" {
  name      = "$ns-definition"
  manifests = {
    namespace = "{apiVersion: v1, kind: Namespace, metadata: {name: $ns-app}}"
    gadgets   = <<-EOT
`+enginetest.Gadgets+`
EOT
  }
  policy = { placement_type = "PickFixed", cluster_names = ["member-1"] }
  `+depends["definition"]+`
}
`)
	}
	creating := dependent
	if dependent == "definition" {
		creating = "" // nothing can be created in this order
	}
	run := fleet.NewWorkspace(t, text(creating))
	out := workspace.Must(t, run, "plan", "-no-color")
	workspace.Contains(t, out, w.Expand(`create on member-1 once the placement "$ns-definition" provides the kind`))
	workspace.Must(t, run, "apply", "-auto-approve")
	w.Must("member-1", w.Expand("$ns.example.org/v1 Gadget $ns-app/one"))
	workspace.Contains(t, workspace.Must(t, run, "plan", "-detailed-exitcode"), "No changes.")
	if dependent == "definition" {
		hub.Write(t, run.Dir, text(dependent))
		workspace.Must(t, run, "apply", "-auto-approve")
		out, err := run.Run(t.Context(), nil, "destroy", "-auto-approve", "-no-color")
		if err == nil {
			t.Fatalf("the destroy succeeded:\n%s", out)
		}
		workspace.Contains(t, out, w.Expand(`contains objects of the placement "$ns-gadgets"`), "Repeat the removal")
		w.Must("member-1", w.Expand("$ns.example.org/v1 Gadget $ns-app/one"))
		hub.Write(t, run.Dir, text(""))
		workspace.Must(t, run, "apply", "-auto-approve")
	}
	workspace.Contains(t, workspace.Must(t, run, "destroy", "-auto-approve"), "Resources: 2 destroyed")
	for _, cluster := range []string{"hub", "member-1"} {
		for _, object := range []string{"apiextensions.k8s.io/v1 CustomResourceDefinition gadgets.$ns.example.org", "v1 Namespace $ns-app"} {
			if w.Find(cluster, object) != nil {
				t.Errorf("%s still exists on %s", w.Expand(object), cluster)
			}
		}
	}
}
