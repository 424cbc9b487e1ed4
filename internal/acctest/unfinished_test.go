package acctest

import "testing"

// A plan with no object to write says why the last apply is not complete.
func TestUnfinishedIsExplained(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := fleet.Open(t, fleet.Newest(t), "", fleet.Provider(fleet.Env.Kubeconfig)+`
resource "fleet_crp" "p" {
  name      = "waiting"
  manifests = {
    "ns.yaml"  = "{apiVersion: v1, kind: Namespace, metadata: {name: waiting}}"
    "web.yaml" = <<-EOT
      apiVersion: apps/v1
      kind: Deployment
      metadata: {name: web, namespace: waiting}
      spec:
        selector: {matchLabels: {app: web}}
        template:
          metadata: {labels: {app: web}}
          spec: {nodeSelector: {no: such-node}, containers: [{name: web, image: nginx}]}
    EOT
  }
  policy   = { placement_type = "PickFixed", cluster_names = ["member-1", "member-2"] }
  strategy = { rolling_update = { max_unavailable = "100%" } }
  timeouts = { create = "3s" }
}
`)
	fleet.DestroyAtEnd(t, w)
	contains(t, must(t, w, "apply", "-auto-approve"), "2 not available yet")
	contains(t, must(t, w, "plan"), `Placement "waiting" (2 clusters): no object to write; the last apply is not complete`,
		"member-1 and member-2: Deployment waiting/web is not available yet")
}
