package membership

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
)

// A resource that was deleted outside Terraform is created again, and the import of an object that does not exist is an error, with every Terraform version.
func TestDisappearance(t *testing.T) {
	imports := map[string]string{
		"fleet_member_cluster.member": "member-1", "fleet_envelope_configmap.envelope": "vanishing/envelope", "fleet_crp.placement": "vanishing",
		"fleet_resource_override.override": "vanishing/override", "fleet_cluster_resource_override.override": "vanishing",
	}
	for _, binary := range fleet.EveryCLI(t) {
		t.Run(binary.String(), func(t *testing.T) {
			fleet.Put(t, "hub", "{apiVersion: v1, kind: Namespace, metadata: {name: vanishing}}")
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
			fleet.LeaveAtEnd(t, w)
			importNothing(t, w, imports)
			must(t, w, "apply", "-auto-approve")
			if !testing.Short() {
				contains(t, must(t, w, "plan"), "No changes.")
			}
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
			contains(t, harness.ApplyPlanned(t, w, []string{"5 to add, 0 to change, 0 to destroy"}), "5 added")
			contains(t, must(t, w, "plan"), "No changes.")
		})
	}
}

// importNothing imports objects that do not exist, by address. The short suite imports all in one plan, since a run for each costs as much as an apply. Only
// the placement has its own run: Terraform does not plan its import after the member's import has failed.
func importNothing(t *testing.T, w *workspace.Workspace, imports map[string]string) {
	t.Helper()
	refused := func(out string, err error, address string) {
		t.Helper()
		if err == nil || strings.Contains(out, "Missing Resource Identity") || !strings.Contains(out, "non-existent") || !strings.Contains(out, address) {
			t.Errorf("import of %s, which does not exist: %v\n%s", address, err, out)
		}
	}
	const placement = "fleet_crp.placement"
	var blocks strings.Builder
	for address, id := range imports {
		if testing.Short() && address != placement {
			fmt.Fprintf(&blocks, "import {\n  to = %s\n  id = %q\n}\n", address, id)
			continue
		}
		out, err := w.Run(t.Context(), nil, "import", "-no-color", address, id)
		refused(out, err, address)
	}
	if blocks.Len() == 0 {
		return
	}
	file := filepath.Join(w.Dir, "imports.tf")
	if err := os.WriteFile(file, []byte(blocks.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := w.Run(t.Context(), nil, "plan", "-no-color")
	for address := range imports {
		if address != placement {
			refused(squeeze(out), err, fmt.Sprintf("existing object to %q", address))
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
}
