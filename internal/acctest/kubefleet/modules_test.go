package kubefleet

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/documents"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/world"
)

// callModule returns a configuration that calls a module of the examples.
func callModule(t *testing.T, w *world.World, module, arguments string) string {
	t.Helper()
	source := filepath.Join(documents.Root(t), "examples", "modules", module)
	return provider(env.Kubeconfig) + w.Expand(fmt.Sprintf("module \"this\" {\n  source = %q\n%s\n}\n", source, arguments))
}

// The module application places a Namespace of the hub on the clusters of two regions. An override changes the workload in one of them.
func TestModuleApplication(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	fleet.Parallel(t)
	w := world.New(t, env, "application")
	w.Put(env.Hub, app)
	terraform := newWorkspace(t, callModule(t, w, "application", `
  name         = "$ns"
  workload     = { group = "", kind = "ConfigMap", namespace = "$ns-app", name = "settings" }
  region_label = "environment"
  regions = {
    production = { patches = [{ op = "replace", path = "/data/greeting", value = jsonencode("good day") }] }
    canary     = {}
  }
  max_unavailable = "100%"
`))
	must(t, terraform, "apply", "-auto-approve")
	for member, want := range map[string]string{"member-1": "good day", "member-2": "good day", "member-3": "hello"} {
		if got := w.Value(member, "v1 ConfigMap $ns-app/settings", "data", "greeting"); got != want {
			t.Errorf("%s: %q instead of %q", member, got, want)
		}
	}
	contains(t, must(t, terraform, "plan"), "No changes.")
}

// The module progressive updates the canary, and the other members after an approval.
func TestModuleProgressive(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	fleet.Parallel(t)
	w := world.New(t, env, "progressive")
	w.Put(env.Hub, app)
	configure := func(run string, approval bool) string {
		return callModule(t, w, "progressive", fmt.Sprintf(`
  name       = "$ns"
  engine     = "kubefleet"
  namespace  = "$ns-app"
  ring_label = "environment"
  run        = %q
  approval   = %t
`, run, approval))
	}
	terraform := newWorkspace(t, configure("1", true))
	contains(t, must(t, terraform, "apply", "-auto-approve"), w.Expand(`The staged update run "$ns-1" waits for an approval`))
	w.Must("member-3", "v1 ConfigMap $ns-app/settings")
	if w.Find("member-1", "v1 ConfigMap $ns-app/settings") != nil {
		t.Error("member-1 has the objects before the approval")
	}
	write(t, terraform.Dir, configure("2", false))
	must(t, terraform, "apply", "-auto-approve")
	w.Must("member-1", "v1 ConfigMap $ns-app/settings")
	w.Must("member-2", "v1 ConfigMap $ns-app/settings")
}
