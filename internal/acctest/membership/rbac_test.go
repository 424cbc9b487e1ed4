package membership

import (
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/rights"
)

// grant applies the documented permissions to the members. It returns a kubeconfig whose contexts use an account with them.
func grant(t *testing.T, account string) string {
	t.Helper()
	accounts := map[string]rights.Account{}
	for _, member := range fleet.Env.Members {
		accounts[member] = rights.Account{File: strings.TrimPrefix(account, "fleet-") + ".yaml", Namespace: "fleet-system", Name: account}
	}
	return rights.Kubeconfig(t, fleet.Env, accounts)
}

// The documented permissions suffice: those for plans to plan, and those for applies to do everything.
func TestDocumentedRights(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	binary := fleet.Newest(t)
	withoutHub := func(text string) string {
		before, after, _ := strings.Cut(text, "  hub     =")
		_, after, _ = strings.Cut(after, "\n")
		return before + after
	}
	configuration := func(kubeconfig, image, more string) string {
		return withoutHub(fleet.Provider(kubeconfig)) + harness.Members + `
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
  ` + harness.AfterMembers + `
}
`
	}
	planner, applier := grant(t, "fleet-plan"), grant(t, "fleet-apply")
	fleet.Put(t, "member-2", `
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
	w := fleet.Open(t, binary, "", configuration(applier, "nginx:1.28", more))
	fleet.LeaveAtEnd(t, w)
	steps := func(kubeconfig, image, more, says string, args ...string) {
		t.Helper()
		harness.Rewrite(t, w, configuration(kubeconfig, image, more))
		out := must(t, w, args...)
		contains(t, out, says)
		for _, refused := range []string{"NOT CHECKED", "not allowed", "cannot be placed", "(403)"} {
			if strings.Contains(squeeze(out), refused) {
				t.Errorf("%v: a permission is missing:\n%s", args, out)
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
	fleet.Absent(t, "member-1", "v1", "Namespace", "", "rights")
}
