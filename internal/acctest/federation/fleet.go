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

// Fleet is a hub with members under an engine.
type Fleet struct {
	Env *clusters.Env
	// Engine is the name of the engine, as the provider and the module take it.
	Engine string
	// Provider is the configuration of the provider, with the hub and all members.
	Provider string
	// NoOverrides says that the engine has none.
	NoOverrides bool
	// Joined says that the members are registered already. Otherwise the configurations register them.
	Joined bool
	// Open makes a folder in which Terraform runs with a configuration, and destroys what it has made when the test ends.
	Open func(t *testing.T, configuration string) *workspace.Workspace
}

// open makes a folder with a configuration.
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

// members registers all members unless that is done.
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

// names is an expression with the names of members, which have to be registered before.
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

// planned applies a configuration, and returns what its plan prints: a plan of its own or, in the brief suite, the one that the apply prints.
func planned(t *testing.T, w *workspace.Workspace) string {
	t.Helper()
	if testing.Short() {
		return run(t, w, "apply", "-auto-approve")
	}
	plan := run(t, w, "plan")
	run(t, w, "apply", "-auto-approve")
	return plan
}

// says fails the test for every text that is missing. White space does not matter: Terraform wraps what it prints.
func says(t *testing.T, out string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(flat(out), flat(text)) {
			t.Errorf("missing %q in:\n%s", text, out)
		}
	}
}

// keepsQuiet fails the test for every text that is there.
func keepsQuiet(t *testing.T, out string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(flat(out), flat(text)) {
			t.Errorf("%q is in:\n%s", text, out)
		}
	}
}

func flat(text string) string {
	text = strings.NewReplacer("│", " ", "╷", " ", "╵", " ").Replace(text)
	return strings.Join(strings.Fields(text), " ")
}
