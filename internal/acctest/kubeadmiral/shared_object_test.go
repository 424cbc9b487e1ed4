package kubeadmiral

import (
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/world"
)

// Two placements of one run that have the same object need one apply: the plan says which one gets it. One apply is enough as well when the object is
// left out of the other one later.
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
	workspace.Contains(t, out, "of the same run places it too, and gets it")
	if strings.Contains(out, "409") {
		t.Errorf("both have written it:\n%s", out)
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
			t.Errorf("%s has it as well", other)
		}
	}
	check()
	workspace.Contains(t, workspace.Must(t, run, "plan"), "No changes.")
	if owner == "member-1" { // which one the plan claims the object for depends on the order of the plan
		two = "{ own = local.own.two }"
	} else {
		one = "{ own = local.own.one }"
	}
	hub.Write(t, run.Dir, text(one, two))
	workspace.Must(t, run, "apply", "-auto-approve")
	check()
	workspace.Contains(t, workspace.Must(t, run, "plan"), "No changes.")
}
