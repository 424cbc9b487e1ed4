package membership

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

// If the provider configuration depends on a resource, the plan is usable and has one warning about it.
func TestProviderConfigurationUnknown(t *testing.T) {
	binary := fleet.Newest(t)
	w := fleet.Open(t, binary, "", `
resource "terraform_data" "path" { input = "`+fleet.Env.Kubeconfig+`" }
provider "fleet" {
  engine  = "direct"
  members = { member-1 = { config_path = terraform_data.path.output, config_context = "`+fleet.Env.Members[0]+`" } }
}
resource "fleet_member_cluster" "m" { name = "member-1" }
resource "fleet_crp" "p" {
  name       = "late"
  manifests  = { "ns.yaml" = "{apiVersion: v1, kind: Namespace, metadata: {name: late}}" }
  depends_on = [fleet_member_cluster.m]
}
`)
	fleet.LeaveAtEnd(t, w)
	harness.ApplyPlanned(t, w, []string{`Placement "late": no preview`, "3 to add"})
	contains(t, must(t, w, "plan"), "No changes.")
}
