package kubeadmiral

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/world"
)

// TestStoredReleases checks that this version reads what earlier versions have stored. See [hub.Fleet.StoredReleases].
func TestStoredReleases(t *testing.T) {
	w := world.New(t, env, "stored", "hub", "member-1")
	w.Put("hub", "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $ns}, data: {color: red}}")
	w.Put("member-1", "{apiVersion: v1, kind: ConfigMap, metadata: {name: taken, namespace: $ns}, data: {color: blue}}")
	fleet.StoredReleases(t, w, hub.Stored{
		Configuration: `
resource "fleet_member_cluster" "m" {
  name   = "member-1"
  labels = { environment = "production" }
}
resource "fleet_crp" "p" {
  name      = "$ns"
  manifests = {
    "created.yaml" = "{apiVersion: v1, kind: ConfigMap, metadata: {name: created, namespace: $ns}, data: {color: red}}"
    "taken.yaml"   = "{apiVersion: v1, kind: ConfigMap, metadata: {name: taken, namespace: $ns}, data: {color: red}}"
  }
  strategy   = { apply_strategy = { when_to_take_over = "Always" } }
  policy     = { placement_type = "PickFixed", cluster_names = ["member-1"] }
  depends_on = [fleet_member_cluster.m]
}
resource "fleet_resource_placement" "settings" {
  name               = "settings"
  namespace          = "$ns"
  resource_selectors = [{ group = "", version = "v1", kind = "ConfigMap", name = "settings" }]
  policy             = { placement_type = "PickFixed", cluster_names = ["member-1"] }
  depends_on         = [fleet_member_cluster.m]
}
`,
		Objects: []string{
			"core.kubeadmiral.io/v1alpha1 FederatedCluster member-1", "core.kubeadmiral.io/v1alpha1 ClusterPropagationPolicy $ns",
			"core.kubeadmiral.io/v1alpha1 PropagationPolicy $ns/settings", "v1 ConfigMap $ns/created", "v1 ConfigMap $ns/taken",
		},
		Kept: []string{"member-1 v1 ConfigMap $ns/taken"},
	})
}
