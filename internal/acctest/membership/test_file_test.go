package membership

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
)

// TestTestFile checks terraform test with the provider configuration in the test file. Terraform then plans and applies all runs with one provider process.
func TestTestFile(t *testing.T) {
	clusters.Need(t, fleet.Env)
	for _, binary := range fleet.EveryCLI(t) {
		t.Run(binary.Name, func(t *testing.T) {
			w := fleet.Open(t, binary, "", `
variable "color" {
  default = "blue"
}
variable "twice" {
  default = false
}
resource "fleet_member_cluster" "member" {
  for_each = toset(["member-1", "member-2"])
  name     = each.key
  labels   = { color = var.color }
}
resource "fleet_member_cluster" "again" {
  count = var.twice ? 1 : 0
  name  = "member-2"
}
resource "fleet_crp" "settings" {
  name      = "test-file"
  manifests = { "settings.yaml" = "{apiVersion: v1, kind: ConfigMap, metadata: {name: test-file, namespace: default}, data: {color: ${var.color}}}" }
  policy = { affinity = { cluster_affinity = { required_during_scheduling_ignored_during_execution = {
    cluster_selector_terms = [{ label_selector = { match_labels = { color = var.color } } }]
  } } } }
  depends_on = [fleet_member_cluster.member]
}
`)
			for name, runs := range map[string]string{"runs.tftest.hcl": `
run "plan" {
  command = plan
  assert {
    condition     = try(strcontains(fleet_crp.settings.planned_changes, "2 to create on member-1 and member-2 (after joining the fleet"), true)
    error_message = jsonencode(fleet_crp.settings.planned_changes) # null before Terraform 1.16
  }
}
run "apply" {
  assert {
    condition     = fleet_crp.settings.phase == "Available"
    error_message = fleet_crp.settings.problems
  }
}
run "unchanged" {
  command = plan
  assert {
    condition     = fleet_crp.settings.phase == "Available" # a change would make it unknown
    error_message = fleet_crp.settings.problems
  }
}
run "change" {
  variables { color = "green" }
  assert {
    condition     = fleet_crp.settings.phase == "Available"
    error_message = fleet_crp.settings.problems
  }
}
run "unchanged_again" {
  command = plan
  variables { color = "green" }
}
`, "twice.tftest.hcl": `
run "once" {
  command = plan
}
run "twice" {
  command = plan
  variables { twice = true }
}
`} {
				text := fleet.Provider(fleet.Env.Kubeconfig) + runs
				if err := os.WriteFile(filepath.Join(w.Dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			contains(t, must(t, w, "test", "-filter=runs.tftest.hcl"), "5 passed, 0 failed")
			for _, member := range []string{"member-1", "member-2"} {
				fleet.Absent(t, member, "v1", "ConfigMap", "default", "test-file")
			}
			out, err := w.Run(t.Context(), nil, "test", "-no-color", "-filter=twice.tftest.hcl")
			if err == nil {
				t.Errorf("the test has passed:\n%s", out)
			}
			contains(t, out, "1 passed, 1 failed", "Two resources for one member")
		})
	}
}
