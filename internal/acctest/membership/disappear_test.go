package membership

import (
	"strings"
	"testing"
)

// What has been removed behind Terraform's back is made anew, and what does not exist is not imported, also by a Terraform that keeps no
// identities.
func TestDisappearance(t *testing.T) {
	imports := map[string]string{
		"fleet_member_cluster.member": "member-1", "fleet_envelope_configmap.envelope": "vanishing/envelope", "fleet_crp.placement": "vanishing",
		"fleet_resource_override.override": "vanishing/override", "fleet_cluster_resource_override.override": "vanishing",
	}
	for _, binary := range fleet.EveryCLI(t) {
		t.Run(binary.String(), func(t *testing.T) {
			fleet.PutForTest(t, "hub", "{apiVersion: v1, kind: Namespace, metadata: {name: vanishing}}")
			w := fleet.Open(t, binary, "", fleet.Provider(fleet.Env.Kubeconfig)+`
resource "fleet_member_cluster" "member" {
  name = "member-1"
}
resource "fleet_envelope_configmap" "envelope" {
  name      = "envelope"
  namespace = "vanishing"
  manifests = { "a.yaml" = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: vanishing}}" }
}
resource "fleet_resource_override" "override" {
  name               = "override"
  namespace          = "vanishing"
  resource_selectors = [{ group = "", version = "v1", kind = "ConfigMap", name = "a" }]
  policy             = { override_rules = [{ cluster_selector = { cluster_selector_terms = [] }, override_type = "Delete" }] }
}
resource "fleet_cluster_resource_override" "override" {
  name                       = "vanishing"
  cluster_resource_selectors = [{ group = "", version = "v1", kind = "Namespace", name = "vanishing-not" }]
  policy                     = { override_rules = [{ cluster_selector = { cluster_selector_terms = [] }, override_type = "Delete" }] }
}
resource "fleet_crp" "placement" {
  name       = "vanishing"
  manifests  = { "a.yaml" = "{apiVersion: v1, kind: ConfigMap, metadata: {name: vanishing, namespace: default}}" }
  policy     = { placement_type = "PickFixed", cluster_names = ["member-1"] }
  depends_on = [fleet_member_cluster.member]
}
`)
			fleet.MustDestroyAtEnd(t, w)
			for address, id := range imports {
				out, err := w.Run(t.Context(), nil, "import", "-no-color", address, id)
				if err == nil || strings.Contains(out, "Missing Resource Identity") || !strings.Contains(out, "non-existent") {
					t.Errorf("import of %s, which does not exist: %v\n%s", address, err, out)
				}
			}
			must(t, w, "apply", "-auto-approve")
			contains(t, must(t, w, "plan"), "No changes.")
			for _, object := range [][4]string{
				{"member-1", "ConfigMap", "default", "vanishing"}, {"member-1", "ConfigMap", "fleet-system", "placement-vanishing"},
				{"hub", "ConfigMap", "vanishing", "envelope"}, {"member-1", "ConfigMap", "fleet-system", "member-cluster"},
			} {
				if err := fleet.On(t, object[0]).Delete(t.Context(), "v1", object[1], object[2], object[3]); err != nil {
					t.Fatal(err)
				}
			}
			for _, cluster := range fleet.Env.Members {
				for _, name := range []string{"resource-override-vanishing.override", "cluster-resource-override-vanishing"} {
					if err := fleet.On(t, cluster).Delete(t.Context(), "v1", "ConfigMap", "fleet-system", name); err != nil {
						t.Fatal(err)
					}
				}
			}
			contains(t, must(t, w, "plan"), "5 to add, 0 to change, 0 to destroy")
			contains(t, must(t, w, "apply", "-auto-approve"), "5 added")
			contains(t, must(t, w, "plan"), "No changes.")
		})
	}
}
