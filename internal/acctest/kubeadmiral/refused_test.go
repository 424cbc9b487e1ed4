package kubeadmiral

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
)

// What a host has no place for is an error of the plan, at the argument.
func TestRefused(t *testing.T) {
	fleet.Parallel(t)
	run := fleet.NewWorkspace(t, fleet.Provider(env.Kubeconfig)+`
resource "fleet_crp" "reports" {
  name               = "reports"
  resource_selectors = [{ group = "", version = "v1", kind = "Namespace", name = "web" }]
  strategy           = { apply_strategy = { type = "ReportDiff" } }
}
resource "fleet_crp" "spread" {
  name               = "spread"
  resource_selectors = [{ group = "", version = "v1", kind = "Namespace", name = "web" }]
  policy = {
    placement_type             = "PickN"
    number_of_clusters         = 2
    topology_spread_constraints = [{ topology_key = "region" }]
  }
}
resource "fleet_envelope_configmap" "closed" {
  name      = "closed"
  namespace = "web"
  manifests = { "quota.yaml" = "{apiVersion: v1, kind: ResourceQuota, metadata: {name: quota, namespace: web}, spec: {hard: {pods: '1'}}}" }
}
resource "fleet_cluster_resource_override" "over" {
  name                       = "over"
  cluster_resource_selectors = [{ group = "rbac.authorization.k8s.io", version = "v1", kind = "ClusterRole", name = "view" }]
  policy = { override_rules = [{
    cluster_selector     = { cluster_selector_terms = [] }
    json_patch_overrides = [{ op = "add", path = "/metadata/labels/a", value = jsonencode("b") }]
  }] }
}
`)
	out, err := run.Run(t.Context(), nil, "plan", "-no-color")
	if err == nil {
		t.Fatalf("it was planned:\n%s", out)
	}
	workspace.Contains(t, out, `type = "ReportDiff"`, "cannot only report on it", "topology_spread_constraints", "does not spread over labels of clusters",
		"opens no envelopes", "An OverridePolicy of a host")
}
