package acctest

import (
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

// With create_before_destroy, the new placement would get no object, and the removal of the old one would delete them all. The apply returns an error and
// deletes nothing until it is repeated.
func TestCreateBeforeDestroy(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	clusters.Need(t, fleet.Env)
	const crp = `
resource "fleet_crp" "p" {
  name      = "early-1"
  manifests = { "cm.yaml" = "{apiVersion: v1, kind: ConfigMap, metadata: {name: early, namespace: default}}" }
}

resource "terraform_data" "dependent" {
  triggers_replace = [fleet_crp.p.name]
  lifecycle {
    create_before_destroy = true
  }
}
`
	world := fleet.Provider(fleet.Env.Kubeconfig)
	w := fleet.Open(t, fleet.Newest(t), "", world+crp)
	fleet.DestroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve")

	harness.Rewrite(t, w, world+strings.Replace(crp, "early-1", "early-2", 1))
	out, err := w.Run(t.Context(), nil, "apply", "-auto-approve", "-no-color", "-replace=fleet_crp.p")
	if err == nil {
		t.Fatalf("the apply succeeded:\n%s", out)
	}
	contains(t, out, `Placement "early-1" was not removed: "early-2" lists the same objects`, "ConfigMap default/early", "create_before_destroy",
		"nothing was removed")
	fleet.Check(t, "member-2", "v1", "ConfigMap", "default", "early", "early", "metadata", "name")

	must(t, w, "apply", "-auto-approve")
	fleet.Absent(t, "member-2", "v1", "ConfigMap", "fleet-system", "placement-early-1")
	must(t, w, "apply", "-auto-approve")
	fleet.Check(t, "member-2", "v1", "ConfigMap", "default", "early", "early", "metadata", "name")
	contains(t, must(t, w, "plan"), "No changes.")

	// A replacement with the same name returns an error where the old placement exists, and the error says what to do.
	out, err = w.Run(t.Context(), nil, "apply", "-auto-approve", "-no-color", "-replace=fleet_crp.p")
	if err == nil {
		t.Fatalf("the replacement succeeded:\n%s", out)
	}
	contains(t, out, "exists already", "deposed object", "terraform state rm", "Import it (ID \"early-2\")")
	fleet.Check(t, "member-2", "v1", "ConfigMap", "default", "early", "early", "metadata", "name")
	must(t, w, "state", "rm", "fleet_crp.p")
	must(t, w, "import", "fleet_crp.p", "early-2")
	contains(t, must(t, w, "plan"), "No changes.")
}
