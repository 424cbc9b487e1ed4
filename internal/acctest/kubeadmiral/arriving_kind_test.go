package kubeadmiral

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/world"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/standin"
)

// One apply creates a definition, a Namespace, and an object of the kind in it that another placement has, in whichever order Terraform applies them.
func TestKindOfAnotherPlacement(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	fleet.Parallel(t)
	w := world.New(t, env, "kind", "hub")
	config, err := standin.TypeConfigText(v1alpha1.APIResource{Group: w.Expand("$ns.example.org"), Version: "v1", Kind: "Gadget", PluralName: "gadgets", Scope: "Namespaced"})
	if err != nil {
		t.Fatal(err)
	}
	w.Put("hub", config)
	run := fleet.NewWorkspace(t, fleet.Provider(env.Kubeconfig)+w.Expand(`
resource "fleet_crp" "gadgets" {
  name      = "$ns-gadgets"
  manifests = { gadget = "`+enginetest.Gadget+`" }
  policy    = { placement_type = "PickFixed", cluster_names = ["member-1"] }
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
}
`))
	out := workspace.Must(t, run, "plan", "-no-color")
	workspace.Contains(t, out, w.Expand(`create on member-1 once the placement "$ns-definition" has brought the kind`))
	workspace.Must(t, run, "apply", "-auto-approve")
	w.Must("member-1", w.Expand("$ns.example.org/v1 Gadget $ns-app/one"))
	workspace.Contains(t, workspace.Must(t, run, "plan", "-detailed-exitcode"), "No changes.")
	for _, placement := range []string{"gadgets", "definition"} { // together, the definition would remain because of the object
		workspace.Must(t, run, "destroy", "-auto-approve", "-target=fleet_crp."+placement)
	}
	if w.Find("member-1", w.Expand("apiextensions.k8s.io/v1 CustomResourceDefinition gadgets.$ns.example.org")) != nil {
		t.Error("the definition remains")
	}
}
