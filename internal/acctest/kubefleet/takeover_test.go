package kubefleet

import (
	"fmt"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/world"
)

const app = `
{apiVersion: v1, kind: Namespace, metadata: {name: $ns-app}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $ns-app}, data: {greeting: hello}}
`

// appConfiguration places a namespace, including the objects of an envelope in it.
func appConfiguration(w *world.World, takeOver, quota, after string) string {
	return provider(env.Kubeconfig) + hub.Members + w.Expand(fmt.Sprintf(`
resource "fleet_envelope_configmap" "quota" {
  name      = "quota"
  namespace = "$ns-app"
  manifests = {
    "quota.yaml" = "{apiVersion: v1, kind: ResourceQuota, metadata: {name: quota, namespace: $ns-app}, spec: {hard: {pods: '%s'}}}"
  }
}
resource "fleet_crp" "app" {
  name               = "$ns"
  resource_selectors = [{ group = "", version = "v1", kind = "Namespace", name = "$ns-app" }]
  policy = { affinity = { cluster_affinity = { required_during_scheduling_ignored_during_execution = { cluster_selector_terms = [
    { label_selector = { match_labels = { environment = "production" } } },
  ] } } } }
  strategy = {
    rolling_update = { max_unavailable = "100%%" }
    apply_strategy = { when_to_take_over = %q }
  }
  depends_on = [fleet_envelope_configmap.quota, fleet_member_cluster.member%s]
}
`, quota, takeOver, after))
}

// onlyThere overrides a value on one member. It names the placement, because a hub ignores any other override until something else changes.
const onlyThere = `
resource "fleet_resource_override" "greeting" {
  name               = "greeting"
  namespace          = "$ns-app"
  placement          = { name = "$ns" }
  resource_selectors = [{ group = "", version = "v1", kind = "ConfigMap", name = "settings" }]
  policy = { override_rules = [{
    cluster_selector     = { cluster_selector_terms = [{ label_selector = { match_labels = { "kubernetes-fleet.io/member-name" = "member-1" } } }] }
    json_patch_overrides = [{ op = "replace", path = "/data/greeting", value = jsonencode("hi") }]
  }] }
}
`

// One apply registers the members and places objects on them, as its plan shows. A conflict is planned, reported, and not taken over until the configuration
// changes. The second plan is empty, and destroy deletes everything.
func TestTakeover(t *testing.T) {
	w := world.New(t, env, "takeover")
	w.Put("hub", app)
	w.Put("member-2", app)
	w.Edit("member-2", "v1 ConfigMap $ns-app/settings", "{data: {greeting: goodbye}}")
	run := newWorkspace(t, appConfiguration(w, "IfNoDiff", "10", ""))

	out := harness.ApplyPlanned(t, run, []string{"1 conflict on member-2 not taken over", w.Expand("ConfigMap $ns-app/settings"), "FailedToTakeOver",
		`data.greeting: "goodbye" -> "hello"`, "after joining the fleet"})
	contains(t, out, "FailedToTakeOver")
	for _, member := range []string{"member-1", "member-2"} {
		if got := w.Value(member, "v1 ResourceQuota $ns-app/quota", "spec", "hard", "pods"); got != "10" {
			t.Errorf("%s: quota %v", member, got)
		}
	}
	if got := w.Value("member-2", "v1 ConfigMap $ns-app/settings", "data", "greeting"); got != "goodbye" {
		t.Errorf("greeting that must not be taken over: %v", got)
	}
	if w.Find("member-3", "v1 Namespace $ns-app") != nil {
		t.Error("the placement is on a cluster that is not picked")
	}
	contains(t, must(t, run, "plan"), "No changes.")

	write(t, run.Dir, appConfiguration(w, "Always", "20", ""))
	harness.ApplyPlanned(t, run, []string{`data.greeting: "goodbye" -> "hello"`, "2 to update", "Destroying the placement deletes these objects"})
	if got := w.Value("member-1", "v1 ResourceQuota $ns-app/quota", "spec", "hard", "pods"); got != "20" {
		t.Errorf("quota: %v", got)
	}
	if got := w.Value("member-2", "v1 ConfigMap $ns-app/settings", "data", "greeting"); got != "hello" {
		t.Errorf("greeting that must be taken over: %v", got)
	}
	contains(t, must(t, run, "plan"), "No changes.")

	// The placement's plan includes the effects of other changes in the same run, even if the placement itself does not change.
	write(t, run.Dir, appConfiguration(w, "Always", "20", ", fleet_resource_override.greeting")+w.Expand(onlyThere))
	harness.ApplyPlanned(t, run, []string{"1 to add, 1 to change", "1 to update on member-1", `data.greeting: "hello" -> "hi"`})
	w.Eventually("the override is applied", func() bool {
		return w.Value("member-1", "v1 ConfigMap $ns-app/settings", "data", "greeting") == "hi"
	})
	contains(t, must(t, run, "plan"), "No changes.")

	// The plan of a destroy lists the objects that are deleted with the Namespaces.
	w.Put("member-1", "{apiVersion: v1, kind: ConfigMap, metadata: {name: theirs, namespace: $ns-app}}")
	contains(t, must(t, run, "plan", "-destroy"), w.Expand("Namespace $ns-app"), w.Expand("ConfigMap $ns-app/theirs"))
	must(t, run, "destroy", "-auto-approve")
	for _, member := range []string{"member-1", "member-2"} {
		w.AwaitGone(member, "v1 Namespace $ns-app")
	}
}
