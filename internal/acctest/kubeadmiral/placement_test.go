package kubeadmiral

import (
	"fmt"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/world"
)

// inNamespace returns a placement of the objects in one namespace of the host.
func inNamespace(w *world.World, environment string) string {
	return fleet.Provider(env.Kubeconfig) + w.Expand(fmt.Sprintf(`
resource "fleet_resource_placement" "settings" {
  name               = "settings"
  namespace          = "$ns"
  resource_selectors = [{ group = "", version = "v1", kind = "ConfigMap", name = "settings" }]
  policy = { affinity = { cluster_affinity = { required_during_scheduling_ignored_during_execution = { cluster_selector_terms = [
    { label_selector = { match_labels = { environment = %q } } },
  ] } } } }
}

data "fleet_crp" "settings" {
  name      = fleet_resource_placement.settings.name
  namespace = "$ns"
}

output "conditions" {
  value = join(" ", keys(data.fleet_crp.settings.status.conditions))
}
`, environment))
}

// A namespaced placement is a PropagationPolicy. Its policy picks the members. If the policy changes, the objects move as the plan shows. Deleting the
// placement deletes its objects on the members; the selected objects stay on the host.
func TestResourcePlacement(t *testing.T) {
	fleet.Parallel(t)
	w := world.New(t, env, "namespaced", "hub")
	w.Put("hub", "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $ns}, data: {greeting: hello}}")
	run := fleet.NewWorkspace(t, inNamespace(w, "production"))
	workspace.Must(t, run, "apply", "-auto-approve")
	for _, member := range []string{"member-1", "member-2"} {
		if got := w.Value(member, "v1 ConfigMap $ns/settings", "data", "greeting"); got != "hello" {
			t.Errorf("%s: the greeting is %v", member, got)
		}
	}
	if w.Find("member-3", "v1 ConfigMap $ns/settings") != nil {
		t.Error("the object is on a cluster that is not picked")
	}
	workspace.Contains(t, workspace.Must(t, run, "plan"), "No changes.")
	workspace.Contains(t, " "+workspace.Must(t, run, "output", "-raw", "conditions"), " ResourcePlacementApplied", " ResourcePlacementAvailable")

	w.Edit("hub", "v1 ConfigMap $ns/settings", "{data: {greeting: hi}}")
	w.Eventually("the host writes the changed object to member-1", func() bool { return w.Value("member-1", "v1 ConfigMap $ns/settings", "data", "greeting") == "hi" })

	hub.Write(t, run.Dir, inNamespace(w, "canary"))
	workspace.Contains(t, workspace.Must(t, run, "plan"), "member-3: 1 to create", "no longer placed there:", "1 to DELETE")
	workspace.Must(t, run, "apply", "-auto-approve")
	w.AwaitGone("member-1", "v1 ConfigMap $ns/settings")
	w.Must("member-3", "v1 ConfigMap $ns/settings")
	workspace.Contains(t, workspace.Must(t, run, "plan"), "No changes.")

	workspace.Must(t, run, "destroy", "-auto-approve")
	w.AwaitGone("member-3", "v1 ConfigMap $ns/settings")
	w.Must("hub", "v1 ConfigMap $ns/settings")
}

// Members and placements of a host are imported by their names.
func TestImport(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	w := world.New(t, env, "import", "hub")
	w.Put("hub", "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $ns}, data: {greeting: hello}}")
	text := fleet.Provider(env.Kubeconfig) + hub.Members + w.Expand(`
resource "fleet_crp" "settings" {
  name               = "$ns"
  resource_selectors = [
    { group = "", version = "v1", kind = "Namespace", name = "$ns", selection_scope = "NamespaceWithResourceSelectors" },
    { group = "", version = "v1", kind = "ConfigMap", name = "settings" },
  ]
  policy     = { placement_type = "PickFixed", cluster_names = ["member-2"] }
  depends_on = [fleet_member_cluster.member]
}
`)
	run := fleet.NewWorkspace(t, text)
	workspace.Must(t, run, "apply", "-auto-approve")
	w.Must("member-2", "v1 ConfigMap $ns/settings")
	workspace.Must(t, run, "state", "rm", "fleet_crp.settings", `fleet_member_cluster.member["member-3"]`)
	workspace.Must(t, run, "import", `fleet_member_cluster.member["member-3"]`, "member-3")
	workspace.Must(t, run, "import", "fleet_crp.settings", w.Expand("$ns"))
	workspace.Must(t, run, "apply", "-auto-approve")
	workspace.Contains(t, workspace.Must(t, run, "plan"), "No changes.")
}

// An import of a placement of manifests and selected objects has what the host knows, with a warning about what it does not. The original configuration then
// continues to manage it: nothing is deleted or recreated.
func TestImportMixed(t *testing.T) {
	fleet.Parallel(t)
	w := world.New(t, env, "mixed", "hub")
	w.Put("hub", "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $ns}, data: {greeting: hello}}")
	text := fleet.Provider(env.Kubeconfig) + w.Expand(`
resource "fleet_crp" "mixed" {
  name               = "$ns"
  resource_selectors = [{ group = "", version = "v1", kind = "Namespace", name = "$ns" }]
  manifests          = { "made.yaml" = "{apiVersion: v1, kind: ConfigMap, metadata: {name: made, namespace: $ns}, data: {a: b}}" }
  policy = { placement_type = "PickN", number_of_clusters = 2, affinity = { cluster_affinity = {
    required_during_scheduling_ignored_during_execution = { cluster_selector_terms = [{ label_selector = { match_labels = { environment = "production" } } }] }
    preferred_during_scheduling_ignored_during_execution = [{ weight = 10, preference = { label_selector = { match_labels = { environment = "canary" } } } }]
  } } }
  strategy = { apply_strategy = { when_to_take_over = "IfNoDiff" } }
}
`)
	run := fleet.NewWorkspace(t, text)
	workspace.Must(t, run, "apply", "-auto-approve")
	before := map[string]any{}
	objects := []string{"v1 ConfigMap $ns/settings", "v1 ConfigMap $ns/made"}
	for _, object := range objects {
		before[object] = w.Must("member-2", object).GetUID()
	}
	workspace.Must(t, run, "state", "rm", "fleet_crp.mixed")
	workspace.Contains(t, workspace.Must(t, run, "import", "fleet_crp.mixed", w.Expand("$ns")), "was not imported completely", w.Expand("ConfigMap $ns/made"))
	planned := workspace.Must(t, run, "plan")
	workspace.Contains(t, planned, "0 to add, 1 to change, 0 to destroy")
	if strings.Contains(planned, "DELETE") {
		t.Errorf("the plan deletes objects:\n%s", planned)
	}
	workspace.Must(t, run, "apply", "-auto-approve")
	workspace.Contains(t, workspace.Must(t, run, "plan"), "No changes.")
	for _, object := range objects {
		if now := w.Must("member-2", object).GetUID(); now != before[object] {
			t.Errorf("%s was recreated", object)
		}
	}
}
