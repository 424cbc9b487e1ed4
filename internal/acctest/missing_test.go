package acctest

import (
	"strings"
	"testing"
)

// A plan reports the objects that a workload needs and that do not exist, and the apply does not wait for that workload. An object of another placement that is
// planned before does not count as missing.
func TestMissingReference(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	deployment := func(name, more string) string {
		return `
resource "fleet_crp" "` + name + `" {
  name      = "` + name + `"
  policy    = { placement_type = "PickFixed", cluster_names = ["member-1"] }
  manifests = {
    "web.yaml" = <<-EOT
      apiVersion: apps/v1
      kind: Deployment
      metadata: {name: ` + name + `, namespace: default}
      spec:
        selector: {matchLabels: {app: ` + name + `}}
        template:
          metadata: {labels: {app: ` + name + `}}
          spec: {serviceAccountName: ` + name + `, containers: [{name: web, image: nginx}]}
    EOT
  }
` + more + `}
`
	}
	w := fleet.Open(t, fleet.Newest(t), "", fleet.Provider(fleet.Env.Kubeconfig)+deployment("missing-account", "")+
		deployment("brought-account", "  depends_on = [fleet_crp.accounts]\n")+`
resource "fleet_crp" "accounts" {
  name      = "missing-accounts"
  policy    = { placement_type = "PickFixed", cluster_names = ["member-1"] }
  manifests = { a = "{apiVersion: v1, kind: ServiceAccount, metadata: {name: brought-account, namespace: default}}" }
}
`)
	fleet.DestroyAtEnd(t, w)
	const missing = "Deployment default/missing-account on member-1: ServiceAccount default/missing-account is not on the cluster"
	planned := must(t, w, "plan", "-out=saved")
	contains(t, planned, `Placement "missing-account" (1 cluster): 1 workload on member-1 that will not become available, 1 to create`, missing)
	if strings.Contains(planned, "ServiceAccount default/brought-account is not") {
		t.Errorf("the plan reports an object of another placement as missing:\n%s", planned)
	}
	contains(t, must(t, w, "apply", "saved"), `Placement "missing-account" is not complete: 1 not available because of a missing object`, missing)
	contains(t, must(t, w, "plan"), "No changes", `Placement "missing-account": 1 workload not available`, missing)
}
