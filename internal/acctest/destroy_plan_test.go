package acctest

import (
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

// prepareDoomed returns a placement on two members. member-2 has one of its ConfigMaps before.
func prepareDoomed(t *testing.T, name string) string {
	t.Helper()
	clusters.Need(t, fleet.Env)
	of := strings.NewReplacer("doomed", name)
	fleet.Put(t, "member-2", of.Replace("{apiVersion: v1, kind: ConfigMap, metadata: {name: doomed-before, namespace: default}, data: {a: b}}"))
	return of.Replace(`
resource "fleet_crp" "p" {
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
}
`)
}

// describeRemoval returns what a plan says of the removal of such a placement. The title comes first.
func describeRemoval(name string) []string {
	var out []string
	for _, text := range []string{
		`Placement "doomed" (2 clusters) will be removed: 5 to delete, 1 left on the cluster`,
		"Namespace doomed on member-1 and member-2, nothing else is in it", "ConfigMap default/doomed-before on member-1",
		"Left on the cluster", "ConfigMap default/doomed-before on member-2: it was there before",
	} {
		out = append(out, strings.ReplaceAll(text, "doomed", name))
	}
	return out
}

// What the removal of a placement deletes, and what it leaves, is said in the plan that leads to it, whether everything is destroyed or the
// placement is taken out of the configuration; and so it comes.
func TestDestroyPlan(t *testing.T) {
	t.Parallel()
	crp := prepareDoomed(t, "doomed")
	world := fleet.Provider(fleet.Env.Kubeconfig)
	w := fleet.Open(t, fleet.Newest(t), "", world+crp)
	fleet.DestroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve")
	contains(t, must(t, w, "plan", "-destroy"), describeRemoval("doomed")...)

	// What others have in the Namespace holds it back where they have it.
	fleet.Put(t, "member-1", "{apiVersion: v1, kind: ConfigMap, metadata: {name: theirs, namespace: doomed}, data: {a: b}}")
	contains(t, must(t, w, "plan", "-destroy"), "4 to delete, 2 left on the cluster", "Namespace doomed on member-2, nothing else is in it",
		"Namespace doomed on member-1: its deletion would also delete ConfigMap doomed/theirs", "strategy.delete_strategy.contents")
	if err := fleet.On(t, "member-1").Delete(t.Context(), "v1", "ConfigMap", "doomed", "theirs"); err != nil {
		t.Fatal(err)
	}

	harness.Rewrite(t, w, world)
	contains(t, must(t, w, "apply", "-auto-approve"), describeRemoval("doomed")...)
	fleet.Absent(t, "member-1", "v1", "ConfigMap", "default", "doomed-before")
	fleet.Check(t, "member-2", "v1", "ConfigMap", "default", "doomed-before", "b", "data", "a")
	contains(t, must(t, w, "plan"), "No changes.")
}

// A replacement says what it removes as well, where Terraform shows it.
func TestReplacementPlan(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	crp := prepareDoomed(t, "replaced")
	world := fleet.Provider(fleet.Env.Kubeconfig)
	w := fleet.Open(t, fleet.Newest(t), "", world+crp)
	fleet.DestroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve")

	// A replacement that is asked for with -replace is no conflict with what it replaces. Terraform shows no warnings of it.
	contains(t, must(t, w, "plan", "-replace=fleet_crp.p"), "1 to add, 0 to change, 1 to destroy")
	contains(t, must(t, w, "plan", "-destroy", "-target=fleet_crp.p"), describeRemoval("replaced")...)

	// Nor is the one of a tainted placement, of which Terraform does not tell the provider.
	must(t, w, "taint", "fleet_crp.p")
	contains(t, must(t, w, "plan"), append(describeRemoval("replaced")[1:], "1 to add, 0 to change, 1 to destroy",
		`Placement "replaced" (2 clusters) will be REPLACED: 5 to delete`, "DELETES the objects that", `Placement "replaced" (2 clusters)`, "5 to create")...)
	must(t, w, "untaint", "fleet_crp.p")

	// Another name is the same placement: nothing is removed.
	harness.Rewrite(t, w, world+strings.Replace(crp, `name = "replaced"`, `name = "renamed"`, 1))
	out := must(t, w, "plan")
	contains(t, out, "will be updated in-place", "Placement replaced is renamed to renamed:")
	if strings.Contains(out, "REPLACED") || strings.Contains(out, "DELETE") {
		t.Errorf("something is removed:\n%s", out)
	}

	// A plan that was asked not to look says nothing of what it did not see.
	quiet := turnPreviewOff(world)
	harness.Rewrite(t, w, quiet+crp)
	if out := must(t, w, "plan", "-destroy"); quiet == world || strings.Contains(out, "will be removed") {
		t.Errorf("the clusters were not looked at:\n%s", out)
	}
	harness.Rewrite(t, w, world)
	contains(t, must(t, w, "plan"), describeRemoval("replaced")...)
}
