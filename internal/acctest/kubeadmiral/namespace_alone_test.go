package kubeadmiral

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/world"
)

// TestNamespaceAlone checks that the plan of a placement that has only a Namespace is empty after the apply, and that the refresh keeps its phase.
func TestNamespaceAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	fleet.Parallel(t)
	w := world.New(t, env, "alone", "hub")
	run := fleet.NewWorkspace(t, fleet.Provider(env.Kubeconfig)+w.Expand(`
resource "fleet_crp" "namespace" {
  name      = "$ns-namespace"
  manifests = { namespace = "{apiVersion: v1, kind: Namespace, metadata: {name: $ns-app}}" }
}
`))
	workspace.Must(t, run, "apply", "-auto-approve")
	workspace.Contains(t, workspace.Must(t, run, "plan", "-detailed-exitcode"), "No changes.")
	workspace.Contains(t, workspace.Must(t, run, "apply", "-refresh-only", "-auto-approve"), "No changes.")
	workspace.Must(t, run, "destroy", "-auto-approve")
}
