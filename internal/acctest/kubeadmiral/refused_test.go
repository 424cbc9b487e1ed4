package kubeadmiral

import (
	"regexp"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/world"
)

// An argument that KubeAdmiral does not support is an error of the plan at that argument.
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
		t.Fatalf("the plan succeeded:\n%s", out)
	}
	workspace.Contains(t, out, `type = "ReportDiff"`, "cannot only report differences", "topology_spread_constraints", "does not spread objects over the values of a cluster label",
		"does not open envelopes", "An OverridePolicy of a host")
}

// If a host cannot place several objects, the error of the plan has a line for each object.
func TestRefusedObjects(t *testing.T) {
	fleet.Parallel(t)
	w := world.New(t, env, "refused", "hub")
	run := fleet.NewWorkspace(t, fleet.Provider(env.Kubeconfig)+w.Expand(`
resource "fleet_crp" "refused" {
  name      = "$ns"
  manifests = {
    one   = "{apiVersion: v1, kind: ConfigMap, metadata: {name: one, namespace: $ns, labels: {kubeadmiral.io/managed: 'false'}}}"
    two   = "{apiVersion: v1, kind: ConfigMap, metadata: {name: two, namespace: $ns, annotations: {kubeadmiral.io/dry-run: 'true'}}}"
    three = "{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: three, namespace: $ns}}"
  }
}
`))
	out, err := run.Run(t.Context(), nil, "plan", "-no-color")
	if err == nil {
		t.Fatalf("the plan succeeded:\n%s", out)
	}
	for _, line := range []string{
		"ConfigMap $ns/one: its manifest has label kubeadmiral.io/managed,", "ConfigMap $ns/two: its manifest has annotation kubeadmiral.io/dry-run,",
		"Lease $ns/three: the host cluster places no objects of kind Lease in coordination.k8s.io/v1. Create a FederatedTypeConfig for the kind",
	} {
		if !regexp.MustCompile(`(?m)^\W*` + regexp.QuoteMeta(w.Expand(line))).MatchString(out) {
			t.Errorf("no line begins with %q:\n%s", w.Expand(line), out)
		}
	}
}
