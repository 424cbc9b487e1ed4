package acctest

import (
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

// prepareRemoval returns a placement on two members. member-2 has a pre-existing ConfigMap of the placement.
func prepareRemoval(t *testing.T, name string) string {
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

// describeRemoval returns what a plan says about the removal of the placement of prepareRemoval, starting with the title.
func describeRemoval(name string) []string {
	var out []string
	for _, text := range []string{
		`Placement "doomed" (2 clusters) will be removed: 5 to delete, 1 left on the cluster`,
		"Namespace doomed on member-1 and member-2, it contains nothing else", "ConfigMap default/doomed-before on member-1",
		"Left on the cluster", "ConfigMap default/doomed-before on member-2: pre-existing",
	} {
		out = append(out, strings.ReplaceAll(text, "doomed", name))
	}
	return out
}

// TestDestroyPlan checks that a plan lists what the removal of a placement deletes and what remains, both for a destroy and for a resource that was removed
// from the configuration, and that the apply does the same.
func TestDestroyPlan(t *testing.T) {
	t.Parallel()
	crp := prepareRemoval(t, "doomed")
	world := fleet.Provider(fleet.Env.Kubeconfig)
	w := fleet.Open(t, fleet.Newest(t), "", world+crp)
	fleet.DestroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve")
	contains(t, must(t, w, "plan", "-destroy"), describeRemoval("doomed")...)

	// An object of another client in the Namespace blocks the deletion of the Namespace on that member.
	fleet.Put(t, "member-1", "{apiVersion: v1, kind: ConfigMap, metadata: {name: theirs, namespace: doomed}, data: {a: b}}")
	contains(t, must(t, w, "plan", "-destroy"), "4 to delete, 2 left on the cluster", "Namespace doomed on member-2, it contains nothing else",
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

// TestReplacementOfOccupiedNamespace checks the replacement of a placement with a Namespace that contains objects of a second placement. The second placement
// depends on the first one, so Terraform plans it later. The Namespace remains, and the new placement takes it over, as the plan shows.
func TestReplacementOfOccupiedNamespace(t *testing.T) {
	t.Parallel()
	w := fleet.Open(t, fleet.Newest(t), "", fleet.Provider(fleet.Env.Kubeconfig)+`
resource "fleet_crp" "host" {
  name = "replaced-host"
  manifests = {
    "all.yaml" = <<-EOT
      {apiVersion: v1, kind: Namespace, metadata: {name: replaced-host}}
      ---
      {apiVersion: v1, kind: ConfigMap, metadata: {name: own, namespace: replaced-host}}
    EOT
  }
  policy = { placement_type = "PickFixed", cluster_names = ["member-1"] }
}
resource "fleet_crp" "guest" {
  name       = "replaced-guest"
  manifests  = { "guest.yaml" = "{apiVersion: v1, kind: ConfigMap, metadata: {name: guest, namespace: replaced-host}}" }
  policy     = { placement_type = "PickFixed", cluster_names = ["member-1"] }
  depends_on = [fleet_crp.host]
}
`)
	fleet.DestroyAtEnd(t, w)
	fleet.RemoveAtEnd(t, "member-1", "v1", "Namespace", "", "replaced-host")
	must(t, w, "apply", "-auto-approve")
	must(t, w, "taint", "fleet_crp.host")
	out := must(t, w, "apply", "-auto-approve")
	contains(t, out, `Placement "replaced-host" (1 cluster) will be REPLACED: 1 to delete, 1 left on the cluster`,
		`Namespace replaced-host on member-1: its deletion would also delete objects of the placement "replaced-guest"`, "1 added, 0 changed, 1 destroyed")
	contains(t, out, "1 to create", "1 to take over")
	contains(t, must(t, w, "plan"), "No changes.")
}

// TestReplacementPlan checks that the plan of a replacement also lists the removed objects, in the cases in which Terraform shows them.
func TestReplacementPlan(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	crp := prepareRemoval(t, "replaced")
	world := fleet.Provider(fleet.Env.Kubeconfig)
	w := fleet.Open(t, fleet.Newest(t), "", world+crp)
	fleet.DestroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve")

	// A replacement with -replace does not conflict with the placement that it replaces. Terraform does not show its warnings.
	contains(t, must(t, w, "plan", "-replace=fleet_crp.p"), "1 to add, 0 to change, 1 to destroy")
	contains(t, must(t, w, "plan", "-destroy", "-target=fleet_crp.p"), describeRemoval("replaced")...)

	// A tainted placement does not conflict either. Terraform does not report the taint to the provider.
	must(t, w, "taint", "fleet_crp.p")
	contains(t, must(t, w, "plan"), append(describeRemoval("replaced")[1:], "1 to add, 0 to change, 1 to destroy",
		`Placement "replaced" (2 clusters) will be REPLACED: 5 to delete`, "DELETES the objects that", `Placement "replaced" (2 clusters)`, "5 to create")...)
	must(t, w, "untaint", "fleet_crp.p")

	// A new name renames the placement: nothing is removed.
	harness.Rewrite(t, w, world+strings.Replace(crp, `name = "replaced"`, `name = "renamed"`, 1))
	out := must(t, w, "plan")
	contains(t, out, "will be updated in-place", "Placement replaced is renamed to renamed:")
	if strings.Contains(out, "REPLACED") || strings.Contains(out, "DELETE") {
		t.Errorf("the plan removes something:\n%s", out)
	}

	// With previews off, the plan does not describe the removal.
	quiet := turnPreviewOff(world)
	harness.Rewrite(t, w, quiet+crp)
	if out := must(t, w, "plan", "-destroy"); quiet == world || strings.Contains(out, "will be removed") {
		t.Errorf("the plan describes a removal without a preview:\n%s", out)
	}
	harness.Rewrite(t, w, world)
	contains(t, must(t, w, "plan"), describeRemoval("replaced")...)
}
