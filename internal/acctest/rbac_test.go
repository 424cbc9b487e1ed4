package acctest

import (
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/rights"
)

// grant applies the documented rights to the members and returns a kubeconfig in which the members' contexts are those of an account that has
// them.
func grant(t *testing.T, account string) string {
	t.Helper()
	accounts := map[string]rights.Account{}
	for _, member := range env.Members {
		accounts[member] = rights.Account{File: strings.TrimPrefix(account, "fleet-") + ".yaml", Namespace: "fleet-system", Name: account}
	}
	return rights.Kubeconfig(t, env, accounts)
}

// The rights that the documentation lists are enough: to plan with those of a plan, and to do everything with those of an apply.
func TestDocumentedRights(t *testing.T) {
	binary := newest(t)
	withoutHub := func(text string) string {
		before, after, _ := strings.Cut(text, "  hub     =")
		_, after, _ = strings.Cut(after, "\n")
		return before + after
	}
	configuration := func(kubeconfig, image, more string) string {
		return withoutHub(provider(kubeconfig)) + members + `
resource "fleet_crp" "p" {
  name      = "rights"
  manifests = {
    "ns.yaml"  = "{apiVersion: v1, kind: Namespace, metadata: {name: rights}}"
    "cm.yaml"  = "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: rights}, data: {level: info}}"
    "svc.yaml" = "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: rights}, spec: {selector: {app: web}, ports: [{port: 80}]}}"
    "web.yaml" = <<-EOT
      apiVersion: apps/v1
      kind: Deployment
      metadata: {name: web, namespace: rights}
      spec:
        selector: {matchLabels: {app: web}}
        template:
          metadata: {labels: {app: web}}
          spec: {containers: [{name: web, image: "` + image + `"}]}
    EOT
    ` + more + `
  }
  ` + afterMembers + `
}
`
	}
	planner, applier := grant(t, "fleet-plan"), grant(t, "fleet-apply")
	put(t, "member-2", `
apiVersion: v1
kind: Namespace
metadata: {name: rights}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: rights}
data: {level: debug}
`)
	const more = `"more.yaml" = "{apiVersion: v1, kind: ConfigMap, metadata: {name: more, namespace: rights}}"`
	w := newWorkspace(t, binary, "", configuration(applier, "nginx:1.28", more))
	destroyAtEnd(t, w)
	steps := func(kubeconfig, image, more, says string, args ...string) {
		t.Helper()
		rewrite(t, w, configuration(kubeconfig, image, more))
		out := must(t, w, args...)
		contains(t, out, says)
		for _, refused := range []string{"NOT CHECKED", "not allowed", "cannot be placed", "(403)"} {
			if strings.Contains(squeeze(out), refused) {
				t.Errorf("%v: a right is missing:\n%s", args, out)
			}
		}
	}
	steps(planner, "nginx:1.28", more, "13 to create", "plan")
	steps(applier, "nginx:1.28", more, "4 added", "apply", "-auto-approve")
	steps(planner, "nginx:1.28", more, "No changes.", "plan")
	steps(planner, "nginx:1.29", "", "3 to delete", "plan")
	steps(applier, "nginx:1.29", "", "1 changed", "apply", "-auto-approve")
	steps(planner, "nginx:1.29", "", "4 to destroy", "plan", "-destroy")
	steps(applier, "nginx:1.29", "", "4 destroyed", "destroy", "-auto-approve")
	absent(t, "member-1", "v1", "Namespace", "", "rights")
}
