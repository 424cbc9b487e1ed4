package kubefleet

import (
	"strings"
	"testing"
)

// A hub with a placement engine is not ignored silently: the configuration must name the engine.
func TestEngineHasToBeNamed(t *testing.T) {
	fleet.Parallel(t)
	placing := func(engine string) string {
		return strings.Replace(provider(env.Kubeconfig), "  engine  = \"kubefleet\"\n", engine, 1) + `
resource "fleet_crp" "p" {
  name               = "undecided"
  resource_selectors = [{ group = "", version = "v1", kind = "Namespace", name = "undecided" }]
}
`
	}
	run := newWorkspace(t, "")
	write(t, run.Dir, placing(""))
	out, err := run.Run(t.Context(), nil, "plan", "-no-color")
	if err == nil {
		t.Errorf("the plan succeeded:\n%s", out)
	}
	contains(t, out, "KubeFleet runs on the hub", `Set the provider argument engine to "kubefleet"`)
	write(t, run.Dir, placing("  engine = \"direct\"\n"))
	out, _ = run.Run(t.Context(), nil, "plan", "-no-color")
	if strings.Contains(out, "KubeFleet runs on the hub") {
		t.Error(out)
	}
	write(t, run.Dir, "")
}
