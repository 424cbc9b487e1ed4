package acctest

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
)

// configureUnwritten returns a placement with a Namespace in its manifests, and a Secret and a ConfigMap in its write-only manifests.
func configureUnwritten(name string) string {
	return fleet.Provider(fleet.Env.Kubeconfig) + strings.ReplaceAll(`
variable "password" {
  type      = string
  ephemeral = true
}
resource "fleet_crp" "p" {
  name      = "unwritten"
  manifests = { "ns.yaml" = "{apiVersion: v1, kind: Namespace, metadata: {name: unwritten}}" }
  manifests_wo = {
    "key.yaml" = "{apiVersion: v1, kind: Secret, metadata: {name: key, namespace: unwritten}, stringData: {password: ${var.password}}}"
    "map.yaml" = "{apiVersion: v1, kind: ConfigMap, metadata: {name: map, namespace: unwritten}, data: {password: ${var.password}}}"
  }
  policy = { placement_type = "PickFixed", cluster_names = ["member-1"] }
}
`, "unwritten", name)
}

// Two passwords in write-only manifests.
const plantedUnwritten, nextUnwritten = "planted-93e4", "planted-a4f5"

// checkNoUnwritten checks that neither the text nor the placement's inventory contains one of the passwords.
func checkNoUnwritten(t *testing.T, placement, out string) {
	t.Helper()
	u, err := fleet.On(t, "member-1").Get(t.Context(), "v1", "ConfigMap", "fleet-system", "placement-"+placement)
	if err != nil || u == nil {
		t.Fatalf("read the inventory: %v", err)
	}
	text, err := u.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	out += string(text)
	for _, secret := range []string{plantedUnwritten, nextUnwritten, "cGxhbnRlZC05M2U0", "cGxhbnRlZC1hNGY1"} {
		if strings.Contains(out, secret) {
			t.Errorf("%q is in a plan, an output, the state or the inventory", secret)
		}
	}
}

// turnPreviewOff returns the configuration with previews off.
func turnPreviewOff(config string) string {
	return strings.Replace(config, `provider "fleet" {`, "provider \"fleet\" {\n  preview = \"Off\"", 1)
}

// checkUnwrittenDrift makes an apply report a drift of the ConfigMap, and plans an override of it. It returns the outputs, the plan and the states.
func checkUnwrittenDrift(t *testing.T, w *workspace.Workspace, config string) string {
	t.Helper()
	if err := fleet.On(t, "member-1").Patch(t.Context(), "v1", "ConfigMap", "unwritten", "map", `{"data":{"password":"foreign"}}`); err != nil {
		t.Fatal(err)
	}
	const reports = "policy = {"
	harness.Rewrite(t, w, strings.Replace(config, reports, `strategy = { apply_strategy = { type = "ReportDiff" } }`+"\n  "+reports, 1)+`
resource "fleet_resource_override" "o" {
  name               = "unwritten"
  namespace          = "unwritten"
  resource_selectors = [{ group = "", version = "v1", kind = "ConfigMap", name = "map" }]
  policy = { override_rules = [{
    cluster_selector     = { cluster_selector_terms = [] }
    json_patch_overrides = [{ op = "replace", path = "/data/password", value = jsonencode("other") }]
  }] }
}
`)
	out := must(t, w, "plan", "-out=override")
	contains(t, out, "1 object to change on 1 cluster", "data.password: another value (redacted")
	out += must(t, w, "show", "-json", "override") + must(t, w, "apply", "-auto-approve", "-target=fleet_crp.p")
	state := must(t, w, "state", "pull")
	for _, found := range regexp.MustCompile(`"private": "([^"]*)"`).FindAllStringSubmatch(state, -1) {
		decoded, err := base64.StdEncoding.DecodeString(found[1])
		if err != nil {
			t.Fatal(err)
		}
		private := map[string][]byte{}
		if err := json.Unmarshal(decoded, &private); err != nil {
			t.Fatal(err)
		}
		for _, value := range private {
			out += string(value)
		}
	}
	contains(t, out, `"ObservedDiffs":[{"Path":"/data/password"`)
	harness.Rewrite(t, w, config)
	return out + state + must(t, w, "apply", "-auto-approve")
}

// Write-only manifests are placed, changed and removed like others, and are stored nowhere in Terraform. The plan detects their changes with and without a
// preview, and an import has no difference.
func TestWriteOnlyManifests(t *testing.T) {
	t.Parallel()
	clusters.Need(t, fleet.Env)
	config := configureUnwritten("unwritten")
	w := fleet.Open(t, fleet.Newest(t), "", config)
	fleet.DestroyAtEnd(t, w)
	is := func(password string) { w.Env = append(w.Env, "TF_VAR_password="+password) }
	is(plantedUnwritten)
	out := must(t, w, "plan", "-out=saved")
	contains(t, out, "3 to create")
	out += must(t, w, "apply", "saved") + readPlanFile(t, filepath.Join(w.Dir, "saved"))
	fleet.Check(t, "member-1", "v1", "Secret", "unwritten", "key", "cGxhbnRlZC05M2U0", "data", "password")
	contains(t, must(t, w, "plan"), "No changes.")

	is(nextUnwritten)
	changed := must(t, w, "plan", "-out=changed")
	contains(t, changed, "will be updated in-place", "2 to update", "ConfigMap unwritten/map: data.password: another value (redacted")
	out += changed + must(t, w, "show", "-json", "changed")
	is(plantedUnwritten)
	harness.Rewrite(t, w, turnPreviewOff(config))
	contains(t, must(t, w, "plan"), "No changes.")
	is(nextUnwritten)
	out += must(t, w, "apply", "-auto-approve")
	fleet.Check(t, "member-1", "v1", "Secret", "unwritten", "key", "cGxhbnRlZC1hNGY1", "data", "password")

	// A drift does not put the values into the private state, nor an override into its plan.
	out += checkUnwrittenDrift(t, w, config)

	must(t, w, "state", "rm", "fleet_crp.p")
	harness.Rewrite(t, w, config)
	out += must(t, w, "import", "fleet_crp.p", "unwritten")
	contains(t, must(t, w, "plan"), "No changes.")
	out += must(t, w, "state", "pull")
	checkNoUnwritten(t, "unwritten", out)

	// If the argument is omitted, its objects are deleted like others.
	gone := regexp.MustCompile(`(?s)manifests_wo = \{.*?\n  \}\n`).ReplaceAllString(config, "")
	harness.Rewrite(t, w, gone)
	contains(t, must(t, w, "apply", "-auto-approve"), "Secret unwritten/key")
	fleet.Absent(t, "member-1", "v1", "Secret", "unwritten", "key")
	contains(t, must(t, w, "plan"), "No changes.")
}

// If the Secret that records write-only manifests is deleted, the plan shows it, and the apply writes it again.
func TestRecordOfWriteOnlyManifests(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	clusters.Need(t, fleet.Env)
	config := configureUnwritten("unrecorded")
	w := fleet.Open(t, fleet.Newest(t), "", config)
	fleet.DestroyAtEnd(t, w)
	w.Env = append(w.Env, "TF_VAR_password="+plantedUnwritten)
	harness.Rewrite(t, w, turnPreviewOff(config))
	out := must(t, w, "apply", "-auto-approve")
	contains(t, must(t, w, "plan"), "No changes.")
	if err := fleet.On(t, "member-1").Delete(t.Context(), "v1", "Secret", "fleet-system", "placement-unrecorded"); err != nil {
		t.Fatal(err)
	}
	out += must(t, w, "plan")
	harness.Rewrite(t, w, config)
	written := must(t, w, "apply", "-auto-approve")
	contains(t, written, "fleet-system/placement-unrecorded", "was deleted or damaged on member-1", "will be updated in-place", "No object changes.")
	fleet.Check(t, "member-1", "v1", "Secret", "fleet-system", "placement-unrecorded", "placement", "metadata", "labels", "fleet.terraform.io/record")
	contains(t, must(t, w, "plan"), "No changes.")
	checkNoUnwritten(t, "unrecorded", out+written)
}

// Values of Secrets in the manifests are in no plan, output or log, and the plan shows other changes next to them.
func TestSecretsOfManifests(t *testing.T) {
	t.Parallel()
	clusters.Need(t, fleet.Env)
	const planted, next = "planted-71c2", "planted-82d3"
	config := fleet.Provider(fleet.Env.Kubeconfig) + `
resource "fleet_crp" "p" {
  name = "masked"
  manifests = {
    "all.yaml" = <<-EOT
      {apiVersion: v1, kind: Namespace, metadata: {name: masked}}
      ---
      {apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: masked}, data: {level: info}}
      ---
      {apiVersion: v1, kind: Secret, metadata: {name: key, namespace: masked}, stringData: {password: ` + planted + `}}
    EOT
  }
  policy = { placement_type = "PickFixed", cluster_names = ["member-1"] }
}
`
	w := fleet.Open(t, fleet.Newest(t), "", config)
	fleet.DestroyAtEnd(t, w)
	log := filepath.Join(w.Dir, "trace.log")
	w.Env = append(w.Env, "TF_LOG=TRACE", "TF_LOG_PATH="+log)
	out := must(t, w, "apply", "-auto-approve")
	contains(t, out, `"Secret masked/key"`, "(secret values: version 1)", `"ConfigMap masked/settings"`)
	contains(t, must(t, w, "plan"), "No changes.")

	harness.Rewrite(t, w, strings.NewReplacer(planted, next, "level: info", "level: debug").Replace(config))
	changed := must(t, w, "apply", "-auto-approve")
	contains(t, changed, "(secret values: version 1)", "(secret values: version 2)", `update ConfigMap masked/settings: data.level: "info" -> "debug"`,
		"update Secret masked/key: data.password: another value")
	out += changed
	fleet.Check(t, "member-1", "v1", "Secret", "masked", "key", "cGxhbnRlZC04MmQz", "data", "password")
	contains(t, must(t, w, "plan"), "No changes.")
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{planted, next, "cGxhbnRlZC03MWMy", "cGxhbnRlZC04MmQz"} {
		if strings.Contains(out, secret) {
			t.Errorf("%q is in a plan or an output", secret)
		}
		if strings.Contains(string(text), secret) {
			t.Errorf("%q is in the log", secret)
		}
	}
}
