package acctest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	anyUID    = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	anyTime   = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
	refreshed = regexp.MustCompile(`(?m)^\S+: (Refreshing state|Reading|Read complete|Still reading).*\n`)
)

// golden compares a plan with the one in testdata, or writes it there with -update.
func golden(t *testing.T, name, plan string) {
	t.Helper()
	plan = refreshed.ReplaceAllString(plan, "")
	plan = anyTime.ReplaceAllString(anyUID.ReplaceAllString(plan, "UID"), "TIME")
	plan = strings.TrimLeft(plan, "\n")
	path := filepath.Join("testdata", "plans", name+".golden")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(plan), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), plan); diff != "" {
		t.Errorf("the plan is another one (- golden, + printed); -update writes it:\n%s", diff)
	}
}

// storefront is a fleet of some members, by name and environment, and a placement on those in production.
func storefront(image string, environments [][2]string) string {
	var members strings.Builder
	for _, m := range environments {
		fmt.Fprintf(&members, "    %s = %q\n", m[0], m[1])
	}
	return provider(env.Kubeconfig) + `
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

// Whole plans, as a user reads them: what changes, and nothing else.
func TestPlans(t *testing.T) {
	w := newWorkspace(t, newest(t), "", storefront("nginx:1.28", [][2]string{{"member-1", "production"}, {"member-2", "canary"}}))
	destroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve")

	fleet := [][2]string{{"member-1", "production"}, {"member-2", "canary"}, {"member-3", "production"}}
	rewrite(t, w, storefront("nginx:1.28", fleet))
	golden(t, "new-cluster", must(t, w, "plan"))
	must(t, w, "apply", "-auto-approve")

	fleet[1][1] = "production"
	rewrite(t, w, storefront("nginx:1.28", fleet))
	golden(t, "label-of-a-member", must(t, w, "plan"))
	must(t, w, "apply", "-auto-approve")

	rewrite(t, w, storefront("nginx:1.29", fleet))
	golden(t, "image-on-3-clusters", must(t, w, "plan"))
	must(t, w, "apply", "-auto-approve")

	golden(t, "destroy", must(t, w, "plan", "-destroy"))
	must(t, w, "destroy", "-auto-approve")

	put(t, "member-2", `
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
	golden(t, "takeover", must(t, w, "plan"))
}
