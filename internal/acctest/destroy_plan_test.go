package acctest

import (
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
)

// What the removal of a placement deletes, and what it leaves, is said in the plan that leads to it, whether everything is destroyed or the
// placement is taken out of the configuration; and so it comes.
func TestDestroyPlan(t *testing.T) {
	clusters.Need(t, env)
	put(t, "member-2", "{apiVersion: v1, kind: ConfigMap, metadata: {name: doomed-before, namespace: default}, data: {a: b}}")
	const crp = `
resource "fleet_crp" "doomed" {
  name = "doomed"
  manifests = {
    "all.yaml" = <<-EOT
      {apiVersion: v1, kind: Namespace, metadata: {name: doomed}}
      ---
      {apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: doomed}}
      ---
      {apiVersion: v1, kind: ConfigMap, metadata: {name: doomed-before, namespace: default}, data: {a: b}}
    EOT
  }
  policy = { placement_type = "PickFixed", cluster_names = ["member-1", "member-2"] }
  ` + afterMembers + `
}
`
	world := provider(env.Kubeconfig) + members
	w := newWorkspace(t, newest(t), "", world+crp)
	destroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve")

	const title = `Placement "doomed" (2 clusters) will be removed: 5 to delete, 1 to orphan`
	told := []string{
		title, "Namespace doomed on member-1 and member-2, with everything in it", "ConfigMap default/doomed-before on member-1",
		"Left on the cluster", "ConfigMap default/doomed-before on member-2", "member-1: DELETE 3", "member-2: DELETE 2, orphan 1",
	}
	contains(t, must(t, w, "plan", "-destroy"), told...)

	// Another name is another placement: the one that there is goes.
	rewrite(t, w, world+strings.Replace(crp, `name = "doomed"`, `name = "renamed"`, 1))
	contains(t, must(t, w, "plan"), append(told, "must be replaced", `Placement "renamed": no preview`)...)

	// A plan that was asked not to look says nothing of what it did not see.
	quiet := strings.Replace(world, `provider "fleet" {`, "provider \"fleet\" {\n  preview = \"off\"", 1)
	rewrite(t, w, quiet+crp)
	if out := must(t, w, "plan", "-destroy"); quiet == world || strings.Contains(out, "will be removed") {
		t.Errorf("the clusters were not looked at:\n%s", out)
	}

	rewrite(t, w, world)
	contains(t, must(t, w, "plan"), told...)
	contains(t, must(t, w, "apply", "-auto-approve"), title)
	absent(t, "member-1", "v1", "ConfigMap", "default", "doomed-before")
	check(t, "member-2", "v1", "ConfigMap", "default", "doomed-before", "b", "data", "a")
	contains(t, must(t, w, "plan"), "No changes.")
}
