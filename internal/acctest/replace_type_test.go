package acctest

import (
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

// Another placement type is another placement: the plan says what goes first, and the apply makes it anew under the same name. A plan that is
// refused also stops a destroy, which plans first, and says how to go on.
func TestPlacementTypeChange(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	clusters.Need(t, fleet.Env)
	const crp = `
resource "fleet_crp" "p" {
  name      = "retyped"
  manifests = { "cm.yaml" = "{apiVersion: v1, kind: ConfigMap, metadata: {name: retyped, namespace: default}}" }
}
`
	with := func(arguments string) string {
		return strings.Replace(crp, "name      =", arguments+"\n  name      =", 1)
	}
	world := fleet.Provider(fleet.Env.Kubeconfig)
	w := fleet.Open(t, fleet.Newest(t), "", world+crp)
	fleet.DestroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve")
	fleet.Check(t, "member-2", "v1", "ConfigMap", "default", "retyped", "retyped", "metadata", "name")

	harness.Rewrite(t, w, world+with(`policy = { placement_type = "PickFixed", cluster_names = ["member-1"] }`))
	contains(t, must(t, w, "apply", "-auto-approve"), "must be replaced", "forces replacement", `Placement "retyped" (3 clusters) will be REPLACED: 3 to delete`,
		"placement_type is another placement", "1 to create")
	fleet.Check(t, "member-1", "v1", "ConfigMap", "default", "retyped", "retyped", "metadata", "name")
	fleet.Absent(t, "member-2", "v1", "ConfigMap", "default", "retyped")
	contains(t, must(t, w, "plan"), "No changes.")

	// A policy that is left out is of the default type.
	harness.Rewrite(t, w, world+crp)
	contains(t, must(t, w, "plan"), "must be replaced")
	contains(t, must(t, w, "plan", "-replace=fleet_crp.p"), "will be replaced, as requested", "forces replacement")

	fleet.Put(t, "member-2", "{apiVersion: v1, kind: ConfigMap, metadata: {name: retyped-other, namespace: default}, data: {a: b}}")
	harness.Rewrite(t, w, world+strings.Replace(with(`on_takeover_conflict = "error"
  strategy = { apply_strategy = { when_to_take_over = "Never" } }
  policy   = { placement_type = "PickFixed", cluster_names = ["member-1", "member-2"] }`), "name: retyped,", "name: retyped-other,", 1))
	out, err := w.Run(t.Context(), nil, "destroy", "-auto-approve", "-no-color")
	if err == nil {
		t.Fatalf("the destroy did not plan first:\n%s", out)
	}
	contains(t, out, "-refresh=false")
	must(t, w, "destroy", "-auto-approve", "-refresh=false")
	fleet.Absent(t, "member-1", "v1", "ConfigMap", "default", "retyped")
}
