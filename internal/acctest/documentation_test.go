package acctest

import (
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/documents"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
)

var update = flag.Bool("update", false, "write the outputs that README and guides show instead of comparing them")

// What README and guides show is what Terraform prints: whole warnings and reports, less the frame and the place in the configuration.
// After a change of wording: make documented-outputs.
func TestDocumentation(t *testing.T) {
	outputs := map[string]string{}
	t.Run("readme", func(t *testing.T) { showReadme(t, outputs) })
	t.Run("takeover", func(t *testing.T) { showTakeover(t, outputs) })
	t.Run("placement-preview", func(t *testing.T) { showPreview(t, outputs) })
	if t.Failed() {
		return
	}
	documents.Show(t, outputs, func(name string) bool { return !documents.OnHub(name) }, *update)
}

// No output is shown that is not compared.
func TestDocumentedOutputsAreMarked(t *testing.T) { documents.Unmarked(t) }

// showReadme plans and applies the configuration of the README as it stands, with another kubeconfig.
func showReadme(t *testing.T, outputs map[string]string) {
	putExample(t, "takeover")
	text := documents.Read(t, filepath.Join(documents.Root(t), "README.md"))
	_, text, _ = strings.Cut(text, "```hcl\n")
	text, _, found := strings.Cut(text, "\n```\n")
	if !found {
		t.Fatal("README.md has no configuration")
	}
	w := newWorkspace(t, newest(t), "", strings.ReplaceAll(text, `"~/.kube/config"`, `"`+env.Kubeconfig+`"`))
	destroyAtEnd(t, w)
	outputs["plan in the readme"] = documents.Warning(t, inColor(t, w, "plan"), `Placement "web-2-crp"`)
	must(t, w, "apply", "-auto-approve")
	check(t, "member-3", "v1", "Namespace", "", "web-2", "web-2", "metadata", "labels", "app")
	contains(t, must(t, w, "plan"), "No changes.")
}

// showTakeover goes through the modes in the order of the guide.
func showTakeover(t *testing.T, outputs map[string]string) {
	putExample(t, "takeover")
	w := newWorkspace(t, newest(t), "examples/takeover", "")
	destroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve", "-target=fleet_member_cluster.member")
	for _, mode := range []string{"Never", "IfNoDiff", "Always"} {
		variable := "-var=when_to_take_over=" + mode
		outputs["plan with "+strings.ToLower(mode)] = documents.Warning(t, inColor(t, w, "plan", variable), `Placement "web-2-crp"`)
		if mode != "Always" {
			must(t, w, "apply", "-auto-approve", variable)
		}
	}
}

func showPreview(t *testing.T, outputs map[string]string) {
	putExample(t, "placement-preview")
	w := newWorkspace(t, newest(t), "examples/placement-preview", "")
	destroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve", "-target=fleet_member_cluster.member")
	outputs["failed check"] = documents.Warning(t, inColor(t, w, "apply", "-auto-approve"), "Check block assertion failed")
	outputs["preview report"] = strings.TrimSpace(output(t, w, "preview_report"))
}

// inColor runs Terraform as in a terminal, where warnings have a frame.
func inColor(t *testing.T, w *workspace.Workspace, args ...string) string {
	t.Helper()
	out, err := w.Run(t.Context(), nil, args...)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return out
}
