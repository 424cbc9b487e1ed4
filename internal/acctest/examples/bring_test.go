package examples

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"text/template"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/cli"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/documents"
)

// A chart's custom resource is applied after its definition, its hooks are left out, and its objects get the namespace of the release.
func TestChart(t *testing.T) {
	w := fleet.Open(t, fleet.Newest(t), "examples/bring/helm", "")
	fleet.MustDestroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve")
	fleet.Check(t, "member-1", "shop.example.org/v1", "Coupon", "bring-helm", "welcome", 10, "spec", "percent")
	fleet.Check(t, "member-1", "apps/v1", "Deployment", "bring-helm", "shop", 1, "spec", "replicas")
	fleet.Absent(t, "member-1", "batch/v1", "Job", "bring-helm", "shop-migrate")
	path := filepath.Join(w.Dir, "main.tf")
	text := documents.Read(t, path)
	change := func(old, replacement string) {
		t.Helper()
		changed := strings.Replace(text, old, replacement, 1)
		if changed == text {
			t.Fatalf("the example has no %q", old)
		}
		if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	change(` if !can(yamldecode(text).metadata.annotations["helm.sh/hook"])`, "")
	contains(t, must(t, w, "plan"), "create: Job bring-helm/shop-migrate")
	change(`rendered.yaml"), "bring-helm")`, `rendered.yaml"))`)
	if out, err := w.Run(t.Context(), nil, "plan", "-no-color"); err == nil || !strings.Contains(squeeze(out), "namespace") {
		t.Errorf("objects without a namespace are not rejected: %v\n%s", err, out)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil { // for the destroy
		t.Fatal(err)
	}
}

// The rendered chart of the example is the output of its templates, which use only the functions of Go's templates. Helm writes the definitions first, each
// followed by an empty line, then the objects in the order of their kinds, and the hooks last.
func TestRenderedChart(t *testing.T) {
	dir := filepath.Join(documents.Root(t), "examples", "bring", "helm")
	var values any
	if err := yaml.Unmarshal([]byte(documents.Read(t, filepath.Join(dir, "chart", "values.yaml"))), &values); err != nil {
		t.Fatal(err)
	}
	data := map[string]any{"Values": values, "Release": map[string]any{"Name": "shop", "Service": "Helm"}}
	var got strings.Builder
	for _, name := range []string{"crds/coupons.yaml", "templates/settings.yaml", "templates/deployment.yaml", "templates/coupon.yaml", "templates/migrate.yaml"} {
		fmt.Fprintf(&got, "---\n# Source: shop/%s\n", name)
		text, err := template.New(name).Option("missingkey=error").Parse(documents.Read(t, filepath.Join(dir, "chart", filepath.FromSlash(name))))
		if err != nil {
			t.Fatal(err)
		}
		if err := text.Execute(&got, data); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(name, "crds/") {
			got.WriteString("\n")
		}
	}
	if diff := cmp.Diff(documents.Read(t, filepath.Join(dir, "built", "rendered.yaml")), got.String()); diff != "" {
		t.Errorf("built/rendered.yaml is out of date (- file, + rendered):\n%s", diff)
	}
}

// The second placement is not written before the first one is available. The failure replaces neither of them.
func TestOrder(t *testing.T) {
	w := fleet.Open(t, fleet.Newest(t), "examples/bring/order", "")
	fleet.MustDestroyAtEnd(t, w)
	edit := func(name, old, replacement string) {
		t.Helper()
		path := filepath.Join(w.Dir, name)
		if err := os.WriteFile(path, []byte(strings.Replace(documents.Read(t, path), old, replacement, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const noAddress = "---\napiVersion: v1\nkind: Service\nmetadata: {name: database, namespace: bring-order}\nspec: {type: LoadBalancer, ports: [{port: 1}]}\n"
	database := filepath.Join("app", "database.yaml")
	edit(database, "apiVersion", noAddress+"---\napiVersion")
	edit("main.tf", "  depends_on", "  timeouts = { create = \"10s\" }\n  depends_on")
	out, err := w.Run(t.Context(), nil, "apply", "-auto-approve", "-no-color")
	if err == nil {
		t.Fatalf("the apply does not fail:\n%s", out)
	}
	contains(t, out, "The database is not available: ", "Service bring-order/database")
	fleet.Check(t, "member-1", "apps/v1", "Deployment", "bring-order", "database", 1, "spec", "replicas")
	fleet.Absent(t, "member-1", "apps/v1", "Deployment", "bring-order", "shop")
	edit(database, noAddress, "")
	contains(t, must(t, w, "apply", "-auto-approve"), "1 added, 1 changed, 0 destroyed")
	fleet.Check(t, "member-1", "apps/v1", "Deployment", "bring-order", "shop", 1, "spec", "replicas")
}

// The built overlay of the example is the output of Kustomize.
func TestKustomization(t *testing.T) {
	kubectl, err := cli.Build(t.Context(), cli.KubectlName, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(documents.Root(t), "examples", "bring", "kustomize")
	got, err := exec.CommandContext(t.Context(), kubectl, "kustomize", filepath.Join(dir, "production")).Output()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(documents.Read(t, filepath.Join(dir, "built", "production.yaml")), string(got)); diff != "" {
		t.Errorf("built/production.yaml is out of date (- file, + built):\n%s", diff)
	}
}
