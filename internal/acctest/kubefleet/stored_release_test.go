package kubefleet

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/world"
)

// TestStoredReleases checks that this version reads what earlier versions have stored. See [hub.Fleet.StoredReleases].
func TestStoredReleases(t *testing.T) {
	w := world.New(t, env, "stored", "hub", "member-1")
	w.Put("hub", "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $ns}, data: {color: red}}")
	w.Put("hub", "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: $ns}, rules: []}")
	fleet.StoredReleases(t, w, hub.Stored{
		Configuration: `
resource "fleet_member_cluster" "m" {
  name   = "member-1"
  labels = { environment = "production" }
}
resource "fleet_cluster_resource_override" "c" {
  name                       = "$ns"
  placement                  = { name = "$ns" }
  cluster_resource_selectors = [{ group = "rbac.authorization.k8s.io", version = "v1", kind = "ClusterRole", name = "$ns" }]
  policy = { override_rules = [{
    cluster_selector     = { cluster_selector_terms = [{ label_selector = {} }] }
    json_patch_overrides = [{ op = "add", path = "/metadata/labels", value = jsonencode({ x = "y" }) }]
  }] }
}
resource "fleet_crp" "p" {
  name               = "$ns"
  resource_selectors = [{ group = "rbac.authorization.k8s.io", version = "v1", kind = "ClusterRole", name = "$ns" }]
  policy             = { placement_type = "PickN", number_of_clusters = 1 }
  strategy           = { type = "External" }
  depends_on         = [fleet_member_cluster.m, fleet_cluster_resource_override.c]
}
resource "fleet_disruption_budget" "b" {
  placement_name  = fleet_crp.p.name
  max_unavailable = "1"
}
resource "fleet_staged_update_strategy" "s" {
  name   = "$ns"
  stages = [{ name = "all", label_selector = {} }]
}
resource "fleet_staged_update_run" "r" {
  name                         = "$ns"
  placement_name               = fleet_crp.p.name
  staged_rollout_strategy_name = fleet_staged_update_strategy.s.name
  state                        = "Run"
}
resource "fleet_envelope_configmap" "e" {
  name      = "quota"
  namespace = "$ns"
  manifests = { "quota.yaml" = "{apiVersion: v1, kind: ResourceQuota, metadata: {name: q}, spec: {hard: {pods: '4'}}}" }
}
resource "fleet_resource_override" "o" {
  name               = "settings"
  namespace          = "$ns"
  placement          = { name = "settings", scope = "Namespaced" }
  resource_selectors = [{ group = "", version = "v1", kind = "ConfigMap", name = "settings" }]
  policy = { override_rules = [{
    cluster_selector     = { cluster_selector_terms = [{ label_selector = {} }] }
    json_patch_overrides = [{ op = "add", path = "/data/override", value = jsonencode("yes") }]
  }] }
}
resource "fleet_resource_placement" "settings" {
  name               = "settings"
  namespace          = "$ns"
  resource_selectors = [{ group = "", version = "v1", kind = "ConfigMap", name = "settings" }]
  policy             = { placement_type = "PickFixed", cluster_names = ["member-1"] }
  depends_on         = [fleet_member_cluster.m, fleet_resource_override.o]
}
`,
		Objects: []string{
			"cluster.kubernetes-fleet.io/v1beta1 MemberCluster member-1", placementAPI + " ClusterResourceOverride $ns", placementAPI + " ClusterResourcePlacement $ns",
			placementAPI + " ClusterResourcePlacementDisruptionBudget $ns", placementAPI + " ClusterStagedUpdateStrategy $ns", placementAPI + " " + runKind + " $ns",
			placementAPI + " ResourceEnvelope $ns/quota", placementAPI + " ResourceOverride $ns/settings", placementAPI + " ResourcePlacement $ns/settings",
		},
	})
}
