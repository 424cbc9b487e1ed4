package harness

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/documents"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
)

// Update makes tests write the plans in testdata and the outputs in README and guides instead of comparing them.
var Update = flag.Bool("update", false, "write golden files and the outputs that documents show instead of comparing them")

var (
	anyUID    = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	anyTime   = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
	refreshed = regexp.MustCompile(`(?m)^\S+: (Refreshing state|Reading|Read complete|Still reading).*\n`)
)

// Golden compares a plan with the one in testdata, or writes it there with -update.
func Golden(t *testing.T, name, plan string) {
	t.Helper()
	plan = refreshed.ReplaceAllString(plan, "")
	plan = anyTime.ReplaceAllString(anyUID.ReplaceAllString(plan, "UID"), "TIME")
	plan = strings.TrimLeft(plan, "\n")
	path := filepath.Join("testdata", "plans", name+".golden")
	if *Update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(plan), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), plan); diff != "" {
		test, _, _ := strings.Cut(t.Name(), "/")
		t.Errorf("the plan differs from %s (-want +got); `make test-all PACKAGES=%s TESTFLAGS='-count=1 -run %s -update'` rewrites it:\n%s",
			path, documents.Package(t), test, diff)
	}
}

// Output returns a raw output.
func Output(t *testing.T, w *workspace.Workspace, name string) string {
	t.Helper()
	text, err := w.Run(t.Context(), nil, "output", "-no-color", "-raw", name)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return text
}

// PlanFails checks that a plan fails and prints the texts.
func PlanFails(t *testing.T, w *workspace.Workspace, texts ...string) {
	t.Helper()
	out, err := w.Run(t.Context(), nil, "plan", "-no-color")
	if err == nil {
		t.Errorf("the plan succeeded:\n%s", out)
	}
	workspace.Contains(t, out, texts...)
}

// ApplyPlanned applies a configuration whose plan contains the texts. The whole suite checks a separate plan first; the short suite checks the plan that the
// apply prints. It returns the output of the apply.
func ApplyPlanned(t *testing.T, w *workspace.Workspace, texts []string, args ...string) string {
	t.Helper()
	if !testing.Short() {
		workspace.Contains(t, workspace.Must(t, w, append([]string{"plan"}, args...)...), texts...)
	}
	out := workspace.Must(t, w, append([]string{"apply", "-auto-approve"}, args...)...)
	if testing.Short() {
		workspace.Contains(t, out, texts...)
	}
	return out
}
