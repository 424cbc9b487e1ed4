package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/documents"
)

// TestPullRequest runs the commands of the workflow in examples/pull-request: the saved plan becomes a report and a page, and after its apply the next plan is
// empty.
func TestPullRequest(t *testing.T) {
	if _, err := exec.LookPath("jq"); err != nil {
		t.Fatal("examples/pull-request/report.sh needs jq, and it is not on the PATH. Install it, for example with `apt-get install jq`.")
	}
	const example = "examples/pull-request"
	fleet.PutExample(t, "pull-request")
	binary := fleet.Newest(t)
	w := fleet.Open(t, binary, example, "")
	useEngine(t, w)
	fleet.MustDestroyAtEnd(t, w)
	workflow := documents.Read(t, filepath.Join(documents.Root(t), example, "pipeline.yml"))
	for _, command := range []string{"plan -out=tfplan", "apply tfplan", "plan -detailed-exitcode"} {
		contains(t, workflow, "- run: terraform "+command+"\n")
	}
	must(t, w, "plan", "-out=tfplan")

	// The script finds the tested program under the name terraform.
	programs := t.TempDir()
	if err := os.Symlink(binary.Path, filepath.Join(programs, "terraform")); err != nil {
		t.Fatal(err)
	}
	script := exec.CommandContext(t.Context(), "sh", filepath.Join(documents.Root(t), example, "report.sh"))
	script.Dir = w.Dir
	script.Env = w.Command(t.Context()).Env
	script.Env = append(script.Env, "PATH="+programs+string(filepath.ListSeparator)+os.Getenv("PATH"))
	if out, err := script.CombinedOutput(); err != nil {
		t.Fatalf("report.sh: %v\n%s", err, out)
	}
	contains(t, documents.Read(t, filepath.Join(w.Dir, "preview.md")), "### Placement `web-5-crp` (3 clusters): 1 conflict on `member-2` not taken over")
	page := documents.Read(t, filepath.Join(w.Dir, "preview.html"))
	contains(t, page, "<!doctype html>", "Placement web-5-crp (3 clusters): 1 conflict on member-2 not taken over", "FailedToTakeOver", "spec.replicas")
	if !strings.HasSuffix(page, "</html>\n") {
		t.Errorf("the page is not complete: %d bytes", len(page))
	}

	must(t, w, "apply", "tfplan")
	contains(t, must(t, w, "plan", "-detailed-exitcode"), "No changes.")
}
