package federation

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/world"
)

// web returns a Deployment in the world's namespace.
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

// webPlacement returns a configuration that takes over the namespace on all members. If patch is not empty, the configuration also has an override with
// this JSON patch for member-1.
func (f Fleet) webPlacement(w *world.World, patch string) string {
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

// Restarts checks that a plan shows which takeovers and updates restart Pods, and that no others restart Pods.
func Restarts(t *testing.T, f Fleet) {
	w := world.New(t, f.Env, "restart", f.Env.Hub, "member-1", "member-2", "member-3")
	w.Put(f.Env.Hub, web("nginx:1.29", 2))
	w.PutAs("member-1", "kubectl-create", web("nginx:1.29", 2))
	w.PutAs("member-2", "kubectl-create", web("nginx:1.29", 3))
	w.PutAs("member-3", "kubectl-create", web("nginx:1.25", 2))
	before := map[string]world.Run{
		"member-1": w.Running("member-1", "app=web", 2), "member-2": w.Running("member-2", "app=web", 3), "member-3": w.Running("member-3", "app=web", 2),
	}

	terraform := f.open(t, f.webPlacement(w, ""))
	plan := planAndApply(t, terraform)
	checkContains(t, plan, "1 workload on member-3 with Pods to restart", w.Expand("Deployment $ns/web on member-3 (kubectl), overwritten; ")+restarts+image,
		w.Expand("Deployment $ns/web on member-2 (kubectl), overwritten: spec.replicas: 3 -> 2"))
	if diff := cmp.Diff(before["member-1"], w.Running("member-1", "app=web", 2)); diff != "" {
		t.Errorf("the takeover without changes restarted Pods: %s", diff)
	}
	if current := w.Running("member-2", "app=web", 2); !slices.Equal(current.ReplicaSets, before["member-2"].ReplicaSets) ||
		len(survivors(before["member-2"], current)) != 2 {
		t.Errorf("Pods before the change to fewer replicas: %v, after: %v", before["member-2"], current)
	}
	if current := w.Running("member-3", "app=web", 2); len(survivors(before["member-3"], current)) > 0 {
		t.Errorf("Pods before the change of the image: %v, after: %v", before["member-3"], current)
	}
	checkContains(t, run(t, terraform, "plan"), "No changes.")

	if f.NoOverrides {
		return
	}
	// Two updates of the placement: the first keeps the Pods, the second restarts them.
	first := w.Running("member-1", "app=web", 2)
	f.change(t, terraform, f.webPlacement(w, `{ op = "replace", path = "/spec/replicas", value = jsonencode(3) }`))
	plan = planAndApply(t, terraform)
	checkContains(t, plan, "1 to update on member-1", "spec.replicas: 2 -> 3")
	checkAbsent(t, plan, "restarts its Pods", "to restart")
	second := w.Running("member-1", "app=web", 3)
	if len(survivors(first, second)) != 2 {
		t.Errorf("Pods before the change to more replicas: %v, after: %v", first, second)
	}
	f.change(t, terraform, f.webPlacement(w, `{ op = "replace", path = "/spec/replicas", value = jsonencode(3) },
      { op = "replace", path = "/spec/template/spec/containers/0/image", value = jsonencode("nginx:1.30") }`))
	checkContains(t, planAndApply(t, terraform), "1 workload on member-1 with Pods to restart", w.Expand("Deployment $ns/web on member-1; ")+restarts+image)
	w.Eventually("member-1 has the other image", func() bool {
		third := w.Running("member-1", "app=web", 3)
		return len(survivors(second, third)) == 0 && !slices.Equal(second.ReplicaSets, third.ReplicaSets)
	})
}

// survivors returns the earlier Pods that still run and were not restarted.
func survivors(before, current world.Run) []string {
	return slices.DeleteFunc(before.UIDs(), func(uid string) bool {
		restartCount, exists := current.Pods[uid]
		return !exists || restartCount != before.Pods[uid]
	})
}
