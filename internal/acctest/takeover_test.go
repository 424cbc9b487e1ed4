package acctest

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

// Two placements never fight over an object, whatever their modes say.
func TestTwoPlacementsOneObject(t *testing.T) {
	binary := fleet.Newest(t)
	manifests := `manifests = { "ns.yaml" = "{apiVersion: v1, kind: Namespace, metadata: {name: shared}}" }`
	first := fleet.Provider(fleet.Env.Kubeconfig) + `
resource "fleet_crp" "first" {
  name       = "first"
  ` + manifests + `
}
`
	w := fleet.Open(t, binary, "", first)
	fleet.DestroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve")
	second := first + `
resource "fleet_crp" "second" {
  name = "second"
  ` + manifests + `
}
`
	harness.Rewrite(t, w, second)
	contains(t, must(t, w, "plan"), `another placement "first"`, "FailedToTakeOver")
	contains(t, must(t, w, "apply", "-auto-approve"), "FailedToTakeOver", `placement "first"`)

	strict := second[:len(second)-2] + "  on_takeover_conflict = \"error\"\n}\n"
	harness.Rewrite(t, w, strict)
	out, err := w.Run(t.Context(), nil, "plan", "-no-color")
	if err == nil {
		t.Errorf("the plan did not fail:\n%s", out)
	}
	contains(t, out, `on_takeover_conflict is "error"`)
	harness.Rewrite(t, w, second)
}
