package acctest

import (
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

// Two placements never overwrite each other's object, whatever their modes.
func TestTwoPlacementsOneObject(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	binary := fleet.Newest(t)
	manifests := `manifests = { "ns.yaml" = "{apiVersion: v1, kind: Namespace, metadata: {name: contested}}" }`
	first := fleet.Provider(fleet.Env.Kubeconfig) + `
resource "fleet_crp" "first" {
  name       = "contested-first"
  ` + manifests + `
}
`
	w := fleet.Open(t, binary, "", first)
	fleet.DestroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve")
	second := first + `
resource "fleet_crp" "contested_second" {
  name = "contested-second"
  ` + manifests + `
}
`
	harness.Rewrite(t, w, second)
	contains(t, must(t, w, "plan", "-out=saved"), `another placement "contested-first"`, "FailedToTakeOver")
	if out := must(t, w, "apply", "saved"); strings.Contains(out, "Warning") {
		t.Errorf("the apply repeats its plan:\n%s", out)
	}
	contains(t, must(t, w, "show"), "FailedToTakeOver")

	strict := second[:len(second)-2] + "  on_takeover_conflict = \"Error\"\n}\n"
	harness.Rewrite(t, w, strict)
	out, err := w.Run(t.Context(), nil, "plan", "-no-color")
	if err == nil {
		t.Errorf("the plan succeeded:\n%s", out)
	}
	contains(t, out, `on_takeover_conflict is "Error"`)
	harness.Rewrite(t, w, second)
}
