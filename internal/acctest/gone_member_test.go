package acctest

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
)

// A cluster that is gone for good is taken out of the list that feeds the connections and the members: that is all, and holds up nobody.
func TestGoneMember(t *testing.T) {
	clusters.Need(t, env)
	t.Cleanup(func() { // it is not gone for good here
		for kind, names := range map[string][]string{"ConfigMap": {"member-cluster", "placement-staying"}, "Secret": {"placement-staying"}} {
			for _, name := range names {
				_ = on(t, "member-3").Delete(context.Background(), "v1", kind, "fleet-system", name)
			}
		}
		_ = on(t, "member-3").Delete(context.Background(), "v1", "ConfigMap", "default", "staying")
	})
	crp := func(value, after string) string {
		return `
resource "fleet_crp" "staying" {
  name      = "staying"
  manifests = { "a.yaml" = "{apiVersion: v1, kind: ConfigMap, metadata: {name: staying, namespace: default}, data: {v: '` + value + `'}}" }
  ` + after + `
}
`
	}
	world := provider(env.Kubeconfig) + members
	w := newWorkspace(t, newest(t), "", world+crp("1", afterMembers))
	destroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve")

	at := strings.Index(world, `resource "fleet_member_cluster" "member_3"`)
	without := regexp.MustCompile(`(?m)^\s*member-3 = .*\n`).ReplaceAllString(world[:at], "")
	rewrite(t, w, without+crp("2", strings.Replace(afterMembers, ", fleet_member_cluster.member_3", "", 1)))
	contains(t, must(t, w, "plan"), `The member cluster "member-3" will be forgotten, and not removed`, "What was placed on the cluster stays there")
	contains(t, must(t, w, "apply", "-auto-approve"), `The member cluster "member-3" was forgotten, and not removed`)
	check(t, "member-1", "v1", "ConfigMap", "default", "staying", "2", "data", "v")
	check(t, "member-3", "v1", "ConfigMap", "default", "staying", "1", "data", "v")
}
