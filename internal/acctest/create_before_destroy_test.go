package acctest

import (
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

// A placement that is created before the one that it takes the place of is removed could have nothing, and then nobody would: the removal is
// refused, and nothing is lost until it is asked for once more.
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
		t.Fatalf("it was applied:\n%s", out)
	}
	contains(t, out, `Placement "early-1" was not removed: "early-2" is to place what it has`, "ConfigMap default/early", "create_before_destroy",
		"nothing was removed")
	fleet.Check(t, "member-2", "v1", "ConfigMap", "default", "early", "early", "metadata", "name")

	must(t, w, "apply", "-auto-approve")
	fleet.Absent(t, "member-2", "v1", "ConfigMap", "fleet-system", "placement-early-1")
	must(t, w, "apply", "-auto-approve")
	fleet.Check(t, "member-2", "v1", "ConfigMap", "default", "early", "early", "metadata", "name")
	contains(t, must(t, w, "plan"), "No changes.")

	// Of one and the same name the new one is refused where the old one is, and the way out is named.
	out, err = w.Run(t.Context(), nil, "apply", "-auto-approve", "-no-color", "-replace=fleet_crp.p")
	if err == nil {
		t.Fatalf("it was replaced:\n%s", out)
	}
	contains(t, out, "exists already", "deposed object", "terraform state rm", "Import it (ID \"early-2\")")
	fleet.Check(t, "member-2", "v1", "ConfigMap", "default", "early", "early", "metadata", "name")
	must(t, w, "state", "rm", "fleet_crp.p")
	must(t, w, "import", "fleet_crp.p", "early-2")
	contains(t, must(t, w, "plan"), "No changes.")
}
