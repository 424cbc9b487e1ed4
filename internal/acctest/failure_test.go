package acctest

import (
	"archive/zip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

// A failed object from an envelope is reported with its envelope, and the next apply places it once the cause is fixed.
func TestFailedPlacementInEnvelope(t *testing.T) {
	t.Parallel()
	binary := fleet.Newest(t)
	fleet.Put(t, "hub", "apiVersion: v1\nkind: Namespace\nmetadata: {name: test-ns}\n")
	config := fleet.Provider(fleet.Env.Kubeconfig) + `
resource "fleet_envelope_configmap" "e" {
  name      = "envelop-configmap"
  namespace = "test-ns"
  manifests = {
    "resourceQuota.yaml" = "{apiVersion: v1, kind: ResourceQuota, metadata: {name: mem-cpu-demo, namespace: test-ns}, spec: {hard: {requests.cpu: nonsense}}}"
    "unknown.yaml"       = "{apiVersion: example.org/v1, kind: Nonesuch, metadata: {name: nowhere}}"
  }
}
resource "fleet_crp" "p" {
  name               = "failing"
  resource_selectors = fleet_envelope_configmap.e.resource_selectors
  policy             = { placement_type = "PickFixed", cluster_names = ["member-1"] }
}
data "fleet_crp" "p" {
  name       = "failing"
  depends_on = [fleet_crp.p]
}
output "failed" { value = data.fleet_crp.p.status.placement_statuses["member-1"].failed_placements }
output "problems" { value = fleet_crp.p.problems }
`
	w := fleet.Open(t, binary, "", config)
	fleet.DestroyAtEnd(t, w)
	// The placement is created with a warning: an error would taint it.
	out := must(t, w, "apply", "-auto-approve")
	contains(t, out, "2 not applied", "ResourceQuota test-ns/mem-cpu-demo from envelope test-ns/envelop-configmap on member-1: ManifestApplyFailed", "DecodingErred", "does not serve kind Nonesuch")
	out = must(t, w, "output")
	contains(t, out, `"envelope" = { "name" = "envelop-configmap" "namespace" = "test-ns" "type" = "ConfigMap" }`, `"kind" = "ResourceQuota"`,
		"member-1: ResourceQuota test-ns/mem-cpu-demo: ManifestApplyFailed")
	if strings.Contains(must(t, w, "show"), "tainted") {
		t.Error("the failed apply tainted the placement")
	}
	// The next plan includes the missing objects. During an update a failure is an error and loses no state.
	contains(t, must(t, w, "plan"), "update in-place", "kind Nonesuch")
	out, err := w.Run(t.Context(), nil, "apply", "-auto-approve", "-no-color")
	if err == nil {
		t.Errorf("the update succeeded:\n%s", out)
	}
	contains(t, out, "2 not applied", "The next apply continues")

	mended := strings.Replace(strings.Replace(config, "requests.cpu: nonsense", "requests.cpu: 1", 1),
		`"unknown.yaml"       = "{apiVersion: example.org/v1, kind: Nonesuch, metadata: {name: nowhere}}"`, "", 1)
	harness.Rewrite(t, w, mended)
	must(t, w, "apply", "-auto-approve")
	fleet.Check(t, "member-1", "v1", "ResourceQuota", "test-ns", "mem-cpu-demo", 1, "spec", "hard", "requests.cpu")
	contains(t, must(t, w, "plan"), "No changes.")
}

// The values of Secrets on the hub and on members are in no plan, log, diagnostic, state or inventory.
func TestSecretsStaySecret(t *testing.T) {
	t.Parallel()
	binary := fleet.Newest(t)
	const planted = "planted-3f9a"
	fleet.Put(t, "hub", `
apiVersion: v1
kind: Namespace
metadata: {name: secretive}
---
apiVersion: v1
kind: Secret
metadata: {name: key, namespace: secretive}
stringData: {password: `+planted+`-hub}
`)
	fleet.Put(t, "member-1", `
apiVersion: v1
kind: Namespace
metadata: {name: secretive}
---
apiVersion: v1
kind: Secret
metadata: {name: key, namespace: secretive}
stringData: {password: `+planted+`-member}
`)
	w := fleet.Open(t, binary, "", fleet.Provider(fleet.Env.Kubeconfig)+`
resource "fleet_crp" "p" {
  name               = "secretive"
  resource_selectors = [{ group = "", version = "v1", kind = "Namespace", name = "secretive" }]
  strategy           = { apply_strategy = { when_to_take_over = "IfNoDiff" } }
}
resource "fleet_crp" "r" {
  name               = "secretive-report"
  resource_selectors = [{ group = "", version = "v1", kind = "Namespace", name = "secretive" }]
  strategy           = { apply_strategy = { type = "ReportDiff" } }
}
data "fleet_placement_preview" "p" {
  name               = "secretive"
  resource_selectors = [{ group = "", version = "v1", kind = "Namespace", name = "secretive" }]
  strategy           = { apply_strategy = { when_to_take_over = "IfNoDiff" } }
}
output "preview" {
  value     = data.fleet_placement_preview.p
  sensitive = true # the manifests are
}
`)
	fleet.DestroyAtEnd(t, w)
	log := filepath.Join(w.Dir, "trace.log")
	w.Env = append(w.Env, "TF_LOG=TRACE", "TF_LOG_PATH="+log)
	out := must(t, w, "plan", "-out=saved")
	contains(t, out, "Secret secretive/key", "redacted")
	saved := must(t, w, "show", "-json", "saved")
	contains(t, saved, "/data/password", "digest", "Written by")
	out += saved + must(t, w, "apply", "saved")
	state := must(t, w, "state", "pull")
	contains(t, state, "problems", "/data/password")
	out += state + readPlanFile(t, filepath.Join(w.Dir, "saved"))
	for _, file := range []string{log, filepath.Join(w.Dir, "terraform.tfstate")} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out += string(text)
	}
	for _, cluster := range []string{"member-1", "member-2"} {
		u, err := fleet.On(t, cluster).Get(t.Context(), "v1", "ConfigMap", "fleet-system", "placement-secretive")
		if err != nil || u == nil {
			t.Fatalf("read the inventory: %v", err)
		}
		text, err := u.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		out += string(text)
	}
	// "planted-3f9a" and its base64 form.
	for _, secret := range []string{planted, "cGxhbnRlZC0zZjlh"} {
		if strings.Contains(out, secret) {
			t.Errorf("%q appears in the plan, the output, the log, the state or an inventory", secret)
		}
	}
	fleet.Check(t, "member-2", "v1", "Secret", "secretive", "key", "cGxhbnRlZC0zZjlhLWh1Yg==", "data", "password")
}

// readPlanFile returns the contents of a plan file, which is a zip archive.
func readPlanFile(t *testing.T, file string) string {
	t.Helper()
	archive, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	var out strings.Builder
	for _, member := range archive.File {
		content, err := member.Open()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(&out, content); err != nil {
			t.Fatal(err)
		}
		_ = content.Close()
	}
	return out.String()
}
