package examples

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/documents"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
)

// Every module has tests with a mocked provider and tests on clusters, and passes them.
func TestModules(t *testing.T) {
	clusters.Need(t, fleet.Env)
	mirror, err := workspace.Mirror()
	if err != nil {
		t.Fatal(err)
	}
	// terraform init writes into the folder of a module.
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(documents.Root(t), "examples", "modules"))); err != nil {
		t.Fatal(err)
	}
	modules, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(modules) < 4 {
		t.Fatalf("found the modules %q: %v", modules, err)
	}
	for _, module := range modules {
		t.Run(filepath.Base(module), func(t *testing.T) {
			fleet.PutFiles(t, filepath.Join(module, "tests", "clusters"))
			w, err := workspace.New(t.Context(), fleet.Newest(t), mirror, module, module)
			if err != nil {
				t.Fatal(err)
			}
			w.Env = append(w.Env, "TF_VAR_kubeconfig="+fleet.Env.Kubeconfig)
			must(t, w, "init") // for the modules that the tests use
			contains(t, must(t, w, "test"), "tests/clusters.tftest.hcl... pass", "tests/plan.tftest.hcl... pass")
		})
	}
}

// If the canaries are not ready, the module progressive changes no other member. After a fix, it changes all members.
func TestProgressive(t *testing.T) {
	clusters.Need(t, fleet.Env)
	configure := func(namespace, color string) string {
		return fleet.Provider(fleet.Env.Kubeconfig) + harness.Members + fmt.Sprintf(`
module "progressive" {
  source     = %q
  name       = "progressive"
  ring_label = "environment" # member-3 is the canary
  manifests  = { "settings.yaml" = "{apiVersion: v1, kind: ConfigMap, metadata: {name: progressive, namespace: %s}, data: {color: %s}}" }
  %s
}
`, filepath.Join(documents.Root(t), "examples", "modules", "progressive"), namespace, color, harness.AfterMembers)
	}
	w := fleet.Open(t, fleet.Newest(t), "", configure("progressive-missing", "red"))
	fleet.MustDestroyAtEnd(t, w)
	fails := func(text string) {
		t.Helper()
		out, err := w.Run(t.Context(), nil, "apply", "-auto-approve", "-no-color")
		if err == nil {
			t.Errorf("the apply succeeded:\n%s", out)
		}
		contains(t, out, text)
	}
	checkAll := func(color string) {
		t.Helper()
		for _, member := range fleet.Env.Members {
			fleet.Check(t, member, "v1", "ConfigMap", "default", "progressive", color, "data", "color")
		}
	}

	fails("The canaries are not ready, so the other clusters remain unchanged.")
	harness.Rewrite(t, w, configure("default", "blue"))
	must(t, w, "apply", "-auto-approve")
	checkAll("blue")

	harness.Rewrite(t, w, configure("progressive-missing", "red"))
	fails("progressive-missing")
	fleet.Check(t, "member-1", "v1", "ConfigMap", "default", "progressive", "blue", "data", "color")

	harness.Rewrite(t, w, configure("default", "green"))
	contains(t, must(t, w, "apply", "-auto-approve"), "Apply complete!")
	checkAll("green")
	contains(t, must(t, w, "plan"), "No changes.")
}
