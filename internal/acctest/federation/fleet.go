package federation

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
)

// Fleet is a hub with members, managed by an engine.
type Fleet struct {
	Env *clusters.Env
	// Engine is the engine's name for the provider and the module.
	Engine string
	// Provider is the provider configuration, with the hub and all members.
	Provider string
	// NoOverrides: the engine supports no overrides.
	NoOverrides bool
	// Joined: the members are already registered. Otherwise the configurations register them.
	Joined bool
	// Open creates a workspace with a configuration, and destroys its resources when the test ends.
	Open func(t *testing.T, configuration string) *workspace.Workspace
}

// open creates a workspace with a configuration.
func (f Fleet) open(t *testing.T, configuration string) *workspace.Workspace {
	t.Helper()
	return f.Open(t, workspace.Required+f.Provider+f.members()+configuration)
}

// change replaces the configuration.
func (f Fleet) change(t *testing.T, w *workspace.Workspace, configuration string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(w.Dir, "main.tf"), []byte(workspace.Required+f.Provider+f.members()+configuration), 0o600); err != nil {
		t.Fatal(err)
	}
}

// members returns the registration of all members, or nothing if they are registered.
func (f Fleet) members() string {
	if f.Joined {
		return ""
	}
	return `
resource "fleet_member_cluster" "member" {
  for_each = toset(["member-1", "member-2", "member-3"])
  name     = each.key
}
`
}

// names returns the elements of an HCL list of member names. If the configuration registers the members, each element refers to the registration resource.
func (f Fleet) names(members ...string) string {
	var out []string
	for _, name := range members {
		if f.Joined {
			out = append(out, fmt.Sprintf("%q", name))
		} else {
			out = append(out, fmt.Sprintf("fleet_member_cluster.member[%q].name", name))
		}
	}
	return strings.Join(out, ", ")
}

// run runs Terraform and fails the test if the run fails.
func run(t *testing.T, w *workspace.Workspace, args ...string) string {
	t.Helper()
	out, err := w.Run(t.Context(), nil, append(args, "-no-color")...)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return out
}

// planAndApply applies a configuration and returns the printed plan: a separate plan or, in the short suite, the one that the apply prints.
func planAndApply(t *testing.T, w *workspace.Workspace) string {
	t.Helper()
	if testing.Short() {
		return run(t, w, "apply", "-auto-approve")
	}
	plan := run(t, w, "plan")
	run(t, w, "apply", "-auto-approve")
	return plan
}

// checkContains checks that the output contains the texts. It ignores white space, because Terraform wraps its output.
func checkContains(t *testing.T, out string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(collapseSpace(out), collapseSpace(text)) {
			t.Errorf("missing %q in:\n%s", text, out)
		}
	}
}

// checkAbsent checks that the output contains none of the texts.
func checkAbsent(t *testing.T, out string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(collapseSpace(out), collapseSpace(text)) {
			t.Errorf("unexpected %q in:\n%s", text, out)
		}
	}
}

func collapseSpace(text string) string {
	text = strings.NewReplacer("│", " ", "╷", " ", "╵", " ").Replace(text)
	return strings.Join(strings.Fields(text), " ")
}
