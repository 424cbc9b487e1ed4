package membership

import (
	"fmt"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

// storefront returns a fleet of members, given by name and environment, and a placement on those in production.
func storefront(image string, environments [][2]string) string {
	var members strings.Builder
	for _, m := range environments {
		fmt.Fprintf(&members, "    %s = %q\n", m[0], m[1])
	}
	return fleet.Provider(fleet.Env.Kubeconfig) + `
locals {
  environments = {
` + members.String() + `  }
}
resource "fleet_member_cluster" "member" {
  for_each = local.environments
  name     = each.key
  labels   = { environment = each.value }
}
resource "fleet_crp" "storefront" {
  name = "storefront"
  manifests = {
    "namespace.yaml" = "{apiVersion: v1, kind: Namespace, metadata: {name: storefront}}"
    "web.yaml"       = <<-YAML
      apiVersion: apps/v1
      kind: Deployment
      metadata: {name: web, namespace: storefront}
      spec:
        selector: {matchLabels: {app: web}}
        template:
          metadata: {labels: {app: web}}
          spec:
            containers: [{name: web, image: "` + image + `"}]
    YAML
  }
  policy = { affinity = { cluster_affinity = { required_during_scheduling_ignored_during_execution = {
    cluster_selector_terms = [{ label_selector = { match_labels = { environment = "production" } } }]
  } } } }
  strategy   = { rolling_update = { max_unavailable = "100%", unavailable_period_seconds = 1 } }
  depends_on = [fleet_member_cluster.member]
}
`
}

// Whole plans as a user reads them show the changes and nothing else.
func TestPlans(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	fleet.Clear(t, "storefront")
	w := fleet.Open(t, fleet.Newest(t), "", storefront("nginx:1.28", [][2]string{{"member-1", "production"}, {"member-2", "canary"}}))
	fleet.LeaveAtEnd(t, w)
	must(t, w, "apply", "-auto-approve")

	environments := [][2]string{{"member-1", "production"}, {"member-2", "canary"}, {"member-3", "production"}}
	harness.Rewrite(t, w, storefront("nginx:1.28", environments))
	harness.Golden(t, "new-cluster", must(t, w, "plan"))
	must(t, w, "apply", "-auto-approve")

	environments[1][1] = "production"
	harness.Rewrite(t, w, storefront("nginx:1.28", environments))
	harness.Golden(t, "label-of-a-member", must(t, w, "plan"))
	must(t, w, "apply", "-auto-approve")

	harness.Rewrite(t, w, storefront("nginx:1.29", environments))
	harness.Golden(t, "image-on-3-clusters", must(t, w, "plan"))
	must(t, w, "apply", "-auto-approve")

	harness.Golden(t, "destroy", must(t, w, "plan", "-destroy"))
	must(t, w, "destroy", "-auto-approve")

	fleet.Put(t, "member-2", `
apiVersion: v1
kind: Namespace
metadata: {name: storefront}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: storefront}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "nginx:1.27"}]}
`)
	harness.Golden(t, "takeover", must(t, w, "plan"))
}
