package acctest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

// configureSettings returns a placement of a ConfigMap on member-1 and member-2, with further arguments.
func configureSettings(kubeconfig, name, arguments string) string {
	return fleet.Provider(kubeconfig) + `
resource "fleet_crp" "p" {
  name      = "` + name + `"
  manifests = { "all.yaml" = <<-YAML
    {apiVersion: v1, kind: Namespace, metadata: {name: ` + name + `}}
    ---
    {apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: ` + name + `}, data: {color: blue}}
  YAML
  }
  policy = { placement_type = "PickFixed", cluster_names = ["member-1", "member-2"] }
  ` + arguments + `
}
`
}

// An object that another client changed is no failure of the placement. The status reports the drift, and the next apply reverts it.
func TestStatusOfDrift(t *testing.T) {
	t.Parallel()
	w := fleet.Open(t, fleet.Newest(t), "", configureSettings(fleet.Env.Kubeconfig, "drifting", ""))
	fleet.DestroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve")
	if err := fleet.On(t, "member-1").Patch(t.Context(), "v1", "ConfigMap", "drifting", "settings", `{"data":{"color":"green"}}`); err != nil {
		t.Fatal(err)
	}
	if err := fleet.On(t, "member-2").Delete(t.Context(), "v1", "ConfigMap", "drifting", "settings"); err != nil {
		t.Fatal(err)
	}
	must(t, w, "apply", "-refresh-only", "-auto-approve")
	state := must(t, w, "show")
	contains(t, state, `phase = "ApplyPending"`,
		`problems = "member-2: ConfigMap drifting/settings: missing; member-1: ConfigMap drifting/settings: drifted: /data/color"`)
	if strings.Contains(state, "Failed") || strings.Contains(state, "PreparingToProcess") {
		t.Errorf("the status reports the drift as a failure:\n%s", state)
	}
	contains(t, must(t, w, "apply", "-auto-approve"), "update in-place", "2 clusters", "ConfigMap drifting/settings")
	contains(t, must(t, w, "show"), `phase = "Available"`, `problems = ""`)
	contains(t, must(t, w, "plan"), "No changes.")
}

// TestChangeThatNoClusterReceives changes arguments that are not sent to clusters. The plan shows only the argument, the status stays known, and the apply writes
// nothing.
func TestChangeThatNoClusterReceives(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	recorder := fleet.Record(t)
	w := fleet.Open(t, fleet.Newest(t), "", configureSettings(recorder.Kubeconfig(), "unobserved", ""))
	fleet.DestroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve")
	for _, change := range []string{`timeouts = { update = "20m" }`, `wait = { until = "Applied" }`, `on_takeover_conflict = "Error"`} {
		harness.Rewrite(t, w, configureSettings(recorder.Kubeconfig(), "unobserved", change))
		plan := must(t, w, "plan")
		contains(t, plan, "update in-place", "1 to change")
		if strings.Contains(plan, "known after apply") || strings.Contains(plan, "phase") {
			t.Errorf("%s: the plan shows other changes too:\n%s", change, plan)
		}
		recorder.Reset()
		must(t, w, "apply", "-auto-approve")
		if writes := recorder.Writes(); len(writes) > 0 {
			t.Errorf("%s: the apply wrote: %v", change, writes)
		}
		contains(t, must(t, w, "plan"), "No changes.")
		contains(t, must(t, w, "show"), `phase = "Available"`)
	}
}

// readStatus returns a configuration that reads another configuration's placement.
func readStatus(name, wait string) string {
	return fleet.Provider(fleet.Env.Kubeconfig) + `
data "fleet_crp" "observed" {
  name = "` + name + `"
  ` + wait + `
}
output "status" { value = data.fleet_crp.observed.status }
output "spec" { value = data.fleet_crp.observed.spec }
`
}

// The data source returns the whole status of another configuration's placement, and can wait for its progress.
func TestStatusDataSource(t *testing.T) {
	t.Parallel()
	binary := fleet.Newest(t)
	maker := fleet.Open(t, binary, "", configureSettings(fleet.Env.Kubeconfig, "observed", "wait = { until = \"Applied\" }\n  depends_on = [fleet_cluster_resource_override.green]")+`
resource "fleet_cluster_resource_override" "green" {
  name                       = "observed-green"
  cluster_resource_selectors = [{ group = "", version = "v1", kind = "Namespace", name = "observed" }]
  policy = { override_rules = [{
    cluster_selector     = { cluster_selector_terms = [{ label_selector = { match_labels = { "kubernetes-fleet.io/member-name" = "member-2" } } }] }
    json_patch_overrides = [{ op = "add", path = "/metadata/labels", value = "{\"color\":\"green\"}" }]
  }] }
}
`)
	fleet.DestroyAtEnd(t, maker)
	must(t, maker, "apply", "-auto-approve")

	reader := fleet.Open(t, binary, "", readStatus("observed", `wait_for = { condition = "Available", timeout = "1m" }`))
	must(t, reader, "apply", "-auto-approve")
	contains(t, must(t, reader, "output"), `"placement_type" = "PickFixed"`, `"manifests" = tolist([ "all.yaml", ])`, `"phase" = "Available"`,
		"found all cluster needed as specified by the scheduling policy, found 2 cluster(s)", `"applicable_cluster_resource_overrides" = tolist([ "observed-green", ])`,
		`"kind" = "ConfigMap"`, `"observed_generation" = 1`)
}

// The data source returns an error if the placement does not exist, if its wait times out, or if the timeout is negative.
func TestStatusDataSourceRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	binary := fleet.Newest(t)
	maker := fleet.Open(t, binary, "", configureSettings(fleet.Env.Kubeconfig, "unreported", ""))
	fleet.DestroyAtEnd(t, maker)
	must(t, maker, "apply", "-auto-approve")
	reader := fleet.Open(t, binary, "", readStatus("unreported", `wait_for = { condition = "DiffReported", timeout = "3s" }`))
	harness.PlanFails(t, reader, `Placement "unreported" has not become DiffReported in 3s`, "not reported yet")
	harness.Rewrite(t, reader, readStatus("unreported", `wait_for = { condition = "Available", timeout = "-3s" }`))
	harness.PlanFails(t, reader, "it must be longer than zero")
	harness.Rewrite(t, reader, readStatus("nowhere", ""))
	harness.PlanFails(t, reader, `There is no placement "nowhere"`)
}

// Modules that use a placement can be tested without a cluster: the status is mocked.
func TestMockedStatus(t *testing.T) {
	t.Parallel()
	w := fleet.Open(t, fleet.Newest(t), "", "")
	harness.Rewrite(t, w, fleet.Provider(fleet.Env.Kubeconfig)+`
resource "fleet_crp" "web" {
  name      = "web"
  manifests = { "ns.yaml" = "{apiVersion: v1, kind: Namespace, metadata: {name: web}}" }
}
output "ready" {
  value = fleet_crp.web.phase == "Available"

  precondition {
    condition     = fleet_crp.web.problems == ""
    error_message = fleet_crp.web.problems
  }
}
`)
	for name, content := range map[string]string{"mocked.tftest.hcl": `
mock_provider "fleet" {
  override_resource {
    target = fleet_crp.web
    values = { phase = "Available", problems = "" }
  }
}
run "available" {
  assert {
    condition     = output.ready
    error_message = "it is not available"
  }
}
run "refused" {
  override_resource {
    target = fleet_crp.web
    values = { phase = "NotAllWorkHaveBeenApplied", problems = "member-2: Deployment web/web: NotTakenOver" }
  }
  command = plan
  plan_options { target = [fleet_crp.web] }
}
`, "defaults.tftest.hcl": `
mock_provider "fleet" {
  mock_resource "fleet_crp" {
    defaults = { phase = "Unreachable", problems = "" }
  }
}
run "unreachable" {
  assert {
    condition     = fleet_crp.web.phase == "Unreachable" && !output.ready
    error_message = "it is reachable"
  }
}
`} {
		if err := os.WriteFile(filepath.Join(w.Dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	contains(t, must(t, w, "test"), "3 passed, 0 failed")
}
