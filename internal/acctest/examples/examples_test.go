package examples

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/gobuild"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
)

// useEngine makes a configuration use the engine of FLEET_TEST_ENGINE with the hub of the test clusters. It does nothing if the variable is not set. Terraform
// merges a file whose name ends with _override.tf into the others.
func useEngine(t *testing.T, w *workspace.Workspace) {
	t.Helper()
	if os.Getenv(harness.EngineVariable) == "" {
		return
	}
	text := fmt.Sprintf("provider \"fleet\" {\n  engine = %q\n  hub    = { config_path = var.kubeconfig, config_context = \"hub\" }\n}\n", harness.Engine())
	if err := os.WriteFile(filepath.Join(w.Dir, "engine_override.tf"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Every example works: the test creates its objects on the hub and on the members that its files name, applies it, expects an empty plan, and destroys it.
func TestExamples(t *testing.T) {
	binary := fleet.Newest(t)
	root, err := gobuild.Root()
	if err != nil {
		t.Fatal(err)
	}
	mains, err := filepath.Glob(filepath.Join(root, "examples", "*", "main.tf"))
	if err != nil {
		t.Fatal(err)
	}
	nested, err := filepath.Glob(filepath.Join(root, "examples", "*", "*", "main.tf"))
	if err != nil || len(mains)+len(nested) < 3 {
		t.Fatalf("found %d examples: %v", len(mains)+len(nested), err)
	}
	for _, main := range append(mains, nested...) {
		dir := filepath.Dir(main)
		name, err := filepath.Rel(root, dir)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(name, filepath.Join("examples", "modules")) {
			continue // an example uses it
		}
		t.Run(name, func(t *testing.T) {
			fleet.PutFiles(t, dir)
			w := fleet.Open(t, binary, name, "")
			useEngine(t, w)
			fleet.MustDestroyAtEnd(t, w)
			must(t, w, "apply", "-auto-approve")
			if out := must(t, w, "plan"); !strings.Contains(out, "without changing any real infrastructure") {
				contains(t, out, "No changes.") // an output may show the members, which have joined since
			}
		})
	}
}
