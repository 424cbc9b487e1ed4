package membership

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

// A cluster that no longer exists is removed from the list of connections and members. That is enough, and it blocks no other resource.
func TestGoneMember(t *testing.T) {
	clusters.Need(t, fleet.Env)
	t.Cleanup(func() { // in this test it still exists
		for kind, names := range map[string][]string{"ConfigMap": {"member-cluster", "placement-staying"}, "Secret": {"placement-staying"}} {
			for _, name := range names {
				_ = fleet.On(t, "member-3").Delete(context.Background(), "v1", kind, "fleet-system", name)
			}
		}
		_ = fleet.On(t, "member-3").Delete(context.Background(), "v1", "ConfigMap", "default", "staying")
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
	world := fleet.Provider(fleet.Env.Kubeconfig) + harness.Members
	w := fleet.Open(t, fleet.Newest(t), "", world+crp("1", harness.AfterMembers))
	fleet.LeaveAtEnd(t, w)
	must(t, w, "apply", "-auto-approve")

	at := strings.Index(world, `resource "fleet_member_cluster" "member_3"`)
	without := regexp.MustCompile(`(?m)^\s*member-3 = .*\n`).ReplaceAllString(world[:at], "")
	harness.Rewrite(t, w, without+crp("2", strings.Replace(harness.AfterMembers, ", fleet_member_cluster.member_3", "", 1)))
	planned := []string{`The member cluster "member-3" will be removed from the state only`, "The placed objects remain on the cluster"}
	contains(t, harness.ApplyPlanned(t, w, planned), `The member cluster "member-3" was removed from the state only`)
	fleet.Check(t, "member-1", "v1", "ConfigMap", "default", "staying", "2", "data", "v")
	fleet.Check(t, "member-3", "v1", "ConfigMap", "default", "staying", "1", "data", "v")
}

// A member that is unreachable when it is removed is only removed from the state, with a warning. On request, the removal returns an error instead and keeps
// the member in the state.
func TestUnreachableMember(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	clusters.Need(t, fleet.Env)
	recorder := fleet.Record(t)
	t.Cleanup(func() {
		_ = fleet.On(t, "member-3").Delete(context.Background(), "v1", "ConfigMap", "fleet-system", "member-cluster")
	})
	member := func(options string) string {
		return fleet.Provider(recorder.Kubeconfig()) + "resource \"fleet_member_cluster\" \"m\" {\n  name = \"member-3\"\n" + options + "}\n"
	}
	w := fleet.Open(t, fleet.Newest(t), "", member("  delete_options = { on_unreachable = \"Error\" }\n"))
	must(t, w, "apply", "-auto-approve")
	undo := recorder.Inject(clusters.Fault{Context: "member-3", Refuse: true})
	out, err := w.Run(t.Context(), nil, "destroy", "-auto-approve", "-no-color")
	if err == nil {
		t.Error("the unreachable member was unregistered")
	}
	contains(t, out, `The membership of "member-3" could not be ended`)
	contains(t, must(t, w, "state", "list"), "fleet_member_cluster.m")

	undo()
	harness.Rewrite(t, w, member(""))
	must(t, w, "apply", "-auto-approve")
	recorder.Inject(clusters.Fault{Context: "member-3", Refuse: true})
	contains(t, must(t, w, "destroy", "-auto-approve"), `The member cluster "member-3" was removed from the state only`, "The placed objects remain on the cluster")
	if list := must(t, w, "state", "list"); strings.Contains(list, "fleet_member_cluster") {
		t.Errorf("state: %s", list)
	}
	fleet.Check(t, "member-3", "v1", "ConfigMap", "fleet-system", "member-cluster", "member-cluster", "metadata", "name")
}
