package kubeadmiral

import (
	"maps"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/world"
)

// twoConfigMaps are the manifests local.a and local.b.
const twoConfigMaps = `
locals {
  a = yamlencode({ apiVersion = "v1", kind = "ConfigMap", metadata = { name = "a", namespace = "$ns" }, data = { a = "1" } })
  b = yamlencode({ apiVersion = "v1", kind = "ConfigMap", metadata = { name = "b", namespace = "$ns" }, data = { a = "1" } })
}
`

// placementOf returns a placement on all members with further arguments.
func placementOf(name, manifests, more string) string {
	return `
resource "fleet_crp" "` + name + `" {
  name      = "$ns-` + name + `"
  manifests = ` + manifests + `
  policy    = { placement_type = "PickN", number_of_clusters = 3 }
  ` + more + `
}
`
}

// A placement is split. Then both parts are merged into a placement with another name. The objects change their policy, and the plans show that they are
// neither deleted nor recreated.
func TestHandOver(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	fleet.Parallel(t)
	w := world.New(t, env, "hand-over", "hub")
	text := func(resources ...string) string {
		return fleet.Provider(env.Kubeconfig) + w.Expand(twoConfigMaps+strings.Join(resources, ""))
	}
	uids := func() map[string]any {
		out := map[string]any{}
		for _, member := range env.Members {
			for _, name := range []string{"a", "b"} {
				out[member+" "+name] = w.Must(member, "v1 ConfigMap $ns/"+name).GetUID()
			}
		}
		return out
	}
	run := fleet.NewWorkspace(t, text(placementOf("bulk", "{ a = local.a, b = local.b }", "")))
	workspace.Must(t, run, "apply", "-auto-approve")
	before := uids()
	kept := func(when string) {
		t.Helper()
		if now := uids(); !maps.Equal(before, now) {
			t.Errorf("%s: objects before: %v, after: %v", when, before, now)
		}
		workspace.Contains(t, workspace.Must(t, run, "plan"), "No changes.")
	}

	hub.Write(t, run.Dir, text(placementOf("web", "{ b = local.b }", `takes_over_from = ["$ns-bulk"]`), placementOf("bulk", "{ a = local.a }", "depends_on = [fleet_crp.web]")))
	out := workspace.Must(t, run, "plan", "-no-color", "-out=saved")
	workspace.Contains(t, out, w.Expand(`take over from placement "$ns-bulk": ConfigMap $ns/b`), w.Expand(`hand over to placement "$ns-web": ConfigMap $ns/b`))
	if strings.Contains(out, "DELETE") || strings.Contains(out, "conflict") {
		t.Errorf("the plan shows a deletion or a conflict:\n%s", out)
	}
	workspace.Must(t, run, "apply", "-auto-approve", "saved")
	kept("after the split")

	hub.Write(t, run.Dir, text(placementOf("all", "{ a = local.a, b = local.b }", `takes_over_from_removed = ["$ns-bulk", "$ns-web"]`), `
removed {
  from = fleet_crp.bulk
  lifecycle { destroy = false }
}
removed {
  from = fleet_crp.web
  lifecycle { destroy = false }
}
`))
	out = workspace.Must(t, run, "plan", "-no-color", "-out=saved")
	workspace.Contains(t, out, w.Expand(`take over from placement "$ns-bulk": ConfigMap $ns/a`), w.Expand(`take over from placement "$ns-web": ConfigMap $ns/b`),
		"will no longer be managed by Terraform")
	if strings.Contains(out, "DELETE") || strings.Contains(out, "records of") {
		t.Errorf("the plan shows a deletion or mentions records:\n%s", out)
	}
	workspace.Must(t, run, "apply", "-auto-approve", "saved")
	kept("after the merge")
	for _, name := range []string{"bulk", "web"} {
		if w.Find("hub", "core.kubeadmiral.io/v1alpha1 ClusterPropagationPolicy $ns-"+name) != nil {
			t.Errorf("the policy of %s still exists", name)
		}
	}
	workspace.Must(t, run, "destroy", "-auto-approve")
	w.AwaitGone("member-2", "v1 ConfigMap $ns/b")
}
