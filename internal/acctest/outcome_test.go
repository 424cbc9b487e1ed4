package acctest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

// configureApplying returns a provider configuration with the argument that says whether Terraform is applying.
func configureApplying() string {
	return strings.Replace(fleet.Provider(fleet.Env.Kubeconfig), "provider \"fleet\" {\n", "provider \"fleet\" {\n  applying = terraform.applying\n", 1)
}

// checkWarnings checks the number of warnings in Terraform's output.
func checkWarnings(t *testing.T, out string, want int) {
	t.Helper()
	if got := strings.Count(out, "Warning: "); got != want {
		t.Errorf("got %d warnings, want %d:\n%s", got, want, out)
	}
}

// The forecast of an apply is printed once, with the plan, whether or not the plan is saved.
func TestForecastIsReportedOnce(t *testing.T) {
	t.Parallel()
	for _, binary := range fleet.EveryCLI(t) {
		t.Run(binary.String(), func(t *testing.T) {
			config := func(provider, value string) string {
				return provider + `
resource "fleet_crp" "once" {
  name      = "once"
  manifests = {
    "ns.yaml" = "{apiVersion: v1, kind: Namespace, metadata: {name: once, labels: {team: ours}}}"
    "cm.yaml" = "{apiVersion: v1, kind: ConfigMap, metadata: {name: once, namespace: once}, data: {value: ` + value + `}}"
  }
}
`
			}
			w := fleet.Open(t, binary, "", config(fleet.Provider(fleet.Env.Kubeconfig), "one"))
			fleet.DestroyAtEnd(t, w)
			// If Terraform passes the plan's private state to the apply, the attribute planned_changes shows the changes instead of a warning.
			warningCount := 1
			if binary == fleet.Newest(t) {
				warningCount = 0
			}
			out := must(t, w, "apply", "-auto-approve")
			contains(t, out, "6 to create")
			checkWarnings(t, out, warningCount)

			harness.Rewrite(t, w, config(configureApplying(), "two"))
			out = must(t, w, "apply", "-auto-approve")
			contains(t, out, "3 to update", "1 changed")
			checkWarnings(t, out, warningCount)

			harness.Rewrite(t, w, config(configureApplying(), "three"))
			out = must(t, w, "plan", "-out=saved")
			contains(t, out, "3 to update")
			checkWarnings(t, out, warningCount)
			out = must(t, w, "apply", "saved")
			contains(t, out, "1 changed")
			checkWarnings(t, out, 0)
			fleet.Check(t, "member-3", "v1", "ConfigMap", "once", "once", "three", "data", "value")
		})
	}
}

// TestTakeoverIsReportedAfterwards checks that an apply lists its takeovers if Terraform does not pass the plan's findings to the apply, because the plan may
// not have shown them. Terraform 1.16 and later pass them, and the apply is bound to them.
func TestTakeoverIsReportedAfterwards(t *testing.T) {
	t.Parallel()
	for i, binary := range fleet.EveryCLI(t) {
		t.Run(binary.String(), func(t *testing.T) {
			name := fmt.Sprintf("afterwards-%d", i)
			fleet.Put(t, "member-2", "{apiVersion: v1, kind: Namespace, metadata: {name: "+name+"}}")
			w := fleet.Open(t, binary, "", configureApplying()+fmt.Sprintf(`
resource "fleet_crp" "p" {
  name       = %[1]q
  manifests  = { "ns.yaml" = "{apiVersion: v1, kind: Namespace, metadata: {name: %[1]s, labels: {team: ours}}}" }
}
`, name))
			fleet.DestroyAtEnd(t, w)
			must(t, w, "plan", "-out=saved")
			out := must(t, w, "apply", "saved")
			if binary == fleet.Newest(t) {
				checkWarnings(t, out, 0)
			} else {
				contains(t, out, fmt.Sprintf("Placement %q: 2 created, 1 taken over", name), "Namespace "+name+" on member-2")
				checkWarnings(t, out, 1)
			}
			fleet.Check(t, "member-2", "v1", "Namespace", "", name, "ours", "metadata", "labels", "team")
		})
	}
}

// A placement that only waits until its objects are applied does not warn about unavailable objects.
func TestWaitUntilApplied(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := fleet.Open(t, fleet.Newest(t), "", "")
	config := func(image string) string {
		return fleet.Provider(fleet.Env.Kubeconfig) + `
resource "fleet_crp" "p" {
  name      = "applied"
  manifests = {
    "ns.yaml"  = "{apiVersion: v1, kind: Namespace, metadata: {name: applied}}"
    "web.yaml" = <<-EOT
      apiVersion: apps/v1
      kind: Deployment
      metadata: {name: web, namespace: applied}
      spec:
        selector: {matchLabels: {app: web}}
        template:
          metadata: {labels: {app: web}}
          spec: {nodeSelector: {no: such-node}, containers: [{name: web, image: "` + image + `"}]}
    EOT
  }
  policy = { placement_type = "PickFixed", cluster_names = ["member-1"] }
  wait   = { until = "Applied" }
}
`
	}
	harness.Rewrite(t, w, config("nginx:1.28"))
	fleet.DestroyAtEnd(t, w)
	out := must(t, w, "apply", "-auto-approve")
	checkWarnings(t, out, 0)
	contains(t, must(t, w, "plan"), "No changes.")
	harness.Rewrite(t, w, config("nginx:1.29"))
	contains(t, must(t, w, "apply", "-auto-approve"), "1 changed")
	contains(t, must(t, w, "plan"), "No changes.")
}
