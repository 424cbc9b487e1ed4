package kubefleet

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/world"
)

const recreated = `
resource "fleet_crp" "all" {
  name               = "$ns"
  resource_selectors = [{ group = "", version = "v1", kind = "Namespace", name = "$ns-none" }]
  policy             = { placement_type = "PickN", number_of_clusters = 0 }
}
resource "fleet_envelope_configmap" "all" {
  name      = "$ns"
  namespace = "$ns"
  manifests = { "quota.yaml" = "{apiVersion: v1, kind: ResourceQuota, metadata: {name: quota}, spec: {hard: {pods: '5'}}}" }
}
resource "fleet_cluster_resource_override" "all" {
  name                       = "$ns"
  cluster_resource_selectors = [{ group = "", version = "v1", kind = "Namespace", name = "$ns-none" }]
  policy = { override_rules = [{
    cluster_selector     = { cluster_selector_terms = [{ label_selector = {} }] }
    json_patch_overrides = [{ op = "add", path = "/metadata/labels", value = jsonencode({ a = "b" }) }]
  }] }
}
resource "fleet_staged_update_strategy" "all" {
  name   = "$ns"
  stages = [{ name = "all" }]
}
resource "fleet_disruption_budget" "all" {
  placement_name  = "$ns"
  max_unavailable = "1"
}
`

// A refresh reports each object that another user recreated, even if Terraform saves the refreshed state. A later destroy deletes none of them.
func TestRecreatedObjects(t *testing.T) {
	fleet.Parallel(t)
	w := world.New(t, env, "recreated", env.Hub)
	run := newWorkspace(t, provider(env.Kubeconfig)+w.Expand(recreated))
	must(t, run, "apply", "-auto-approve")
	resources := map[string]string{
		"fleet_crp.all":                       placementAPI + " ClusterResourcePlacement $ns",
		"fleet_envelope_configmap.all":        placementAPI + " ResourceEnvelope $ns",
		"fleet_cluster_resource_override.all": placementAPI + " ClusterResourceOverride $ns",
		"fleet_staged_update_strategy.all":    placementAPI + " ClusterStagedUpdateStrategy $ns",
		"fleet_disruption_budget.all":         placementAPI + " ClusterResourcePlacementDisruptionBudget $ns",
	}
	theirs := map[string]*unstructured.Unstructured{}
	for address, object := range resources {
		theirs[address] = recreate(w, object)
	}
	const warning, found = "was deleted and recreated outside of Terraform", "the object has the UID"
	for _, args := range [][]string{{"apply", "-refresh-only", "-auto-approve"}, {"plan"}} {
		out := must(t, run, args...)
		if warned := strings.Count(out, warning); warned != len(resources) {
			t.Errorf("%v: %d warnings, want %d:\n%s", args, warned, len(resources), out)
		}
		for _, u := range theirs {
			contains(t, out, found+" "+string(u.GetUID()))
		}
	}
	contains(t, must(t, run, "plan"), "No changes.")
	out, err := run.Run(t.Context(), nil, "destroy", "-auto-approve", "-no-color")
	if err == nil || strings.Count(out, "Error: ") != len(resources) {
		t.Errorf("destroy: %v\n%s", err, out)
	}
	for address, u := range theirs {
		if now := w.Find(env.Hub, resources[address]); now == nil || now.GetUID() != u.GetUID() || now.GetDeletionTimestamp() != nil {
			t.Errorf("%s was deleted", address)
		}
	}
	// After an import, the configuration manages the objects again.
	for address := range resources {
		must(t, run, "state", "rm", address)
		id := w.Name
		if strings.HasPrefix(address, "fleet_envelope") {
			id += "/" + w.Name
		}
		must(t, run, "import", address, id)
	}
	must(t, run, "destroy", "-auto-approve")
	for _, object := range resources {
		if w.Find(env.Hub, object) != nil {
			t.Errorf("%s was not deleted", w.Expand(object))
		}
	}
}

// recreate deletes an object and creates it again with the same content.
func recreate(w *world.World, object string) *unstructured.Unstructured {
	w.Helper()
	before := w.Must(env.Hub, object)
	w.Remove(env.Hub, object)
	w.AwaitGone(env.Hub, object)
	after := &unstructured.Unstructured{Object: map[string]any{}}
	after.SetGroupVersionKind(before.GroupVersionKind())
	after.SetNamespace(before.GetNamespace())
	after.SetName(before.GetName())
	for _, content := range []string{"spec", "data"} {
		if before.Object[content] != nil {
			after.Object[content] = before.Object[content]
		}
	}
	stored, err := w.On(env.Hub).Add(w.Context(), after, false)
	if err != nil {
		w.Fatal(err)
	}
	return stored
}
