package federation

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/world"
)

// web is a Deployment in the world's namespace.
func web(image string, replicas int) string {
	return fmt.Sprintf(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: %d
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: %q}], terminationGracePeriodSeconds: 0}
`, replicas, image)
}

// placingWeb takes the namespace over wherever it is. patch is that of an override on member-1, if there is one.
func (f Fleet) placingWeb(w *world.World, patch string) string {
	after, override := "fleet_member_cluster.member, ", ""
	if f.Joined {
		after = ""
	}
	if patch != "" {
		after += "fleet_resource_override.patch"
		override = `
resource "fleet_resource_override" "patch" {
  name               = "$ns"
  namespace          = "$ns"
  placement          = { name = "$ns" }
  resource_selectors = [{ group = "apps", version = "v1", kind = "Deployment", name = "web" }]
  policy = { override_rules = [{
    cluster_selector     = { cluster_selector_terms = [{ label_selector = { match_labels = { "kubernetes-fleet.io/member-name" = "member-1" } } }] }
    json_patch_overrides = [` + patch + `]
  }] }
}
`
	}
	return w.Expand(override + `
resource "fleet_crp" "web" {
  name               = "$ns"
  resource_selectors = [{ group = "", version = "v1", kind = "Namespace", name = "$ns" }]
  strategy = {
    rolling_update = { max_unavailable = "100%" }
    apply_strategy = { when_to_take_over = "Always" }
  }
  depends_on = [` + after + `]
}
`)
}

const (
	restarts = "restarts its Pods "
	image    = "spec.template.spec.containers[name=web].image: "
)

// Restarts checks that a plan says which takeovers and which updates restart Pods, and that these and no others do.
func Restarts(t *testing.T, f Fleet) {
	w := world.New(t, f.Env, "restart", f.Env.Hub, "member-1", "member-2", "member-3")
	w.Put(f.Env.Hub, web("nginx:1.29", 2))
	w.PutAs("member-1", "kubectl-create", web("nginx:1.29", 2))
	w.PutAs("member-2", "kubectl-create", web("nginx:1.29", 3))
	w.PutAs("member-3", "kubectl-create", web("nginx:1.25", 2))
	before := map[string]world.Run{
		"member-1": w.Running("member-1", "app=web", 2), "member-2": w.Running("member-2", "app=web", 3), "member-3": w.Running("member-3", "app=web", 2),
	}

	terraform := f.open(t, f.placingWeb(w, ""))
	plan := planned(t, terraform)
	says(t, plan, "1 workload on member-3 with Pods to restart", w.Expand("Deployment $ns/web on member-3 (kubectl), overwritten; ")+restarts+image,
		w.Expand("Deployment $ns/web on member-2 (kubectl), overwritten: spec.replicas: 3 -> 2"))
	if diff := cmp.Diff(before["member-1"], w.Running("member-1", "app=web", 2)); diff != "" {
		t.Errorf("what was taken over as it is does not run as before: %s", diff)
	}
	if is := w.Running("member-2", "app=web", 2); !slices.Equal(is.ReplicaSets, before["member-2"].ReplicaSets) || len(kept(before["member-2"], is)) != 2 {
		t.Errorf("with fewer replicas %v ran and now %v does", before["member-2"], is)
	}
	if is := w.Running("member-3", "app=web", 2); len(kept(before["member-3"], is)) > 0 {
		t.Errorf("with another image %v ran and now %v does", before["member-3"], is)
	}
	says(t, run(t, terraform, "plan"), "No changes.")

	if f.NoOverrides {
		return
	}
	// An update of the placement's own: first one that leaves the Pods, then one that does not.
	first := w.Running("member-1", "app=web", 2)
	f.change(t, terraform, f.placingWeb(w, `{ op = "replace", path = "/spec/replicas", value = jsonencode(3) }`))
	plan = planned(t, terraform)
	says(t, plan, "1 to update on member-1", "spec.replicas: 2 -> 3")
	keepsQuiet(t, plan, "restart its", "to restart")
	second := w.Running("member-1", "app=web", 3)
	if len(kept(first, second)) != 2 {
		t.Errorf("with more replicas %v ran and now %v does", first, second)
	}
	f.change(t, terraform, f.placingWeb(w, `{ op = "replace", path = "/spec/replicas", value = jsonencode(3) },
      { op = "replace", path = "/spec/template/spec/containers/0/image", value = jsonencode("nginx:1.30") }`))
	says(t, planned(t, terraform), "1 workload on member-1 with Pods to restart", w.Expand("Deployment $ns/web on member-1; ")+restarts+image)
	w.Eventually("member-1 has the other image", func() bool {
		third := w.Running("member-1", "app=web", 3)
		return len(kept(second, third)) == 0 && !slices.Equal(second.ReplicaSets, third.ReplicaSets)
	})
}

// kept are the Pods of before that run still, as they did.
func kept(before, is world.Run) []string {
	return slices.DeleteFunc(before.UIDs(), func(uid string) bool {
		restarts, there := is.Pods[uid]
		return !there || restarts != before.Pods[uid]
	})
}
