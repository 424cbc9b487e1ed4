package acctest

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
)

// Two resources of one name, alike or not, are refused before anything is applied.
func TestTwoOfOneName(t *testing.T) {
	clusters.Need(t, fleet.Env)
	const alike = `
resource "fleet_crp" "p" {
  count     = 2
  name      = "twice"
  manifests = { "cm.yaml" = "{apiVersion: v1, kind: ConfigMap, metadata: {name: twice, namespace: default}}" }
}
`
	w := fleet.Open(t, fleet.Newest(t), "", fleet.Provider(fleet.Env.Kubeconfig)+alike)
	out, err := w.Run(t.Context(), nil, "plan", "-no-color")
	if err == nil {
		t.Fatalf("it was planned:\n%s", out)
	}
	contains(t, out, "Two resources for one placement")
}
