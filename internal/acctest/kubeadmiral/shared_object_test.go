package kubeadmiral

import (
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/world"
)

// Two placements of one run that have the same object need one apply, and the plan says which of them gets the object. Removing the object from the other
// placement later also needs one apply.
func TestSharedObject(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	fleet.Parallel(t)
	w := world.New(t, env, "shared", "hub")
	text := func(one, two string) string {
		return fleet.Provider(env.Kubeconfig) + w.Expand(`
locals {
  shared = yamlencode({ apiVersion = "v1", kind = "ConfigMap", metadata = { name = "shared", namespace = "$ns" }, data = { a = "1" } })
  own    = { for name in ["one", "two"] : name =>
    yamlencode({ apiVersion = "v1", kind = "ConfigMap", metadata = { name = name, namespace = "$ns" }, data = { a = "1" } }) }
}
resource "fleet_crp" "one" {
  name      = "$ns-one"
  manifests = `+one+`
  policy    = { placement_type = "PickFixed", cluster_names = ["member-1"] }
}
resource "fleet_crp" "two" {
  name      = "$ns-two"
  manifests = `+two+`
  policy    = { placement_type = "PickFixed", cluster_names = ["member-2"] }
}
`)
	}
	one, two := "{ shared = local.shared, own = local.own.one }", "{ shared = local.shared, own = local.own.two }"
	run := fleet.NewWorkspace(t, text(one, two))
	out := workspace.Must(t, run, "apply", "-auto-approve", "-no-color")
	workspace.Contains(t, out, "of the same run also places it, and will own it")
	if strings.Contains(out, "409") {
		t.Errorf("both placements wrote the object:\n%s", out)
	}
	label, _ := w.Value("hub", "v1 ConfigMap $ns/shared", "metadata", "labels", "kubeadmiral.io/cluster-propagation-policy-name").(string)
	owner, other := "member-1", "member-2"
	if label == w.Expand("$ns-two") {
		owner, other = other, owner
	}
	check := func() {
		t.Helper()
		w.Must("member-1", "v1 ConfigMap $ns/one")
		w.Must("member-2", "v1 ConfigMap $ns/two")
		w.Must(owner, "v1 ConfigMap $ns/shared")
		if w.Find(other, "v1 ConfigMap $ns/shared") != nil {
			t.Errorf("%s has the object too", other)
		}
	}
	check()
	workspace.Contains(t, workspace.Must(t, run, "plan"), "No changes.")
	if owner == "member-1" { // the placement that gets the object depends on the order of planning
		two = "{ own = local.own.two }"
	} else {
		one = "{ own = local.own.one }"
	}
	hub.Write(t, run.Dir, text(one, two))
	workspace.Must(t, run, "apply", "-auto-approve")
	check()
	workspace.Contains(t, workspace.Must(t, run, "plan"), "No changes.")
}
