package membership

import (
	"fmt"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

// renamable returns a fleet of one cluster, registered under the names in members. The placement depends on the resource block even when it registers no
// member: otherwise Terraform orders the deletion of a resource without a block arbitrarily, and could plan the placement with the member.
func renamable(name string, members ...string) string {
	return fmt.Sprintf(`
provider "fleet" {
  engine  = "direct"
  members = { %s = { config_path = %q, config_context = "member-3" } }
}
resource "fleet_member_cluster" "m" {
  for_each = toset([%s])
  name     = each.key
}
resource "fleet_crp" "p" {
  name       = "renamed"
  manifests  = { "a.yaml" = "{apiVersion: v1, kind: ConfigMap, metadata: {name: renamed, namespace: default}, data: {v: '1'}}" }
  depends_on = [fleet_member_cluster.m]
}
`, name, fleet.Env.Kubeconfig, strings.Join(members, ", "))
}

// Before a member gets another name, it must leave the fleet under its old name. Its objects stay, and belong to the placement again afterwards.
func TestRenamedMember(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	w := fleet.Open(t, fleet.Newest(t), "", "")
	harness.Rewrite(t, w, renamable("east", `"east"`))
	fleet.LeaveAtEnd(t, w)
	must(t, w, "apply", "-auto-approve")
	uid := func() any {
		t.Helper()
		u, err := fleet.On(t, "member-3").Get(t.Context(), "v1", "ConfigMap", "default", "renamed")
		if err != nil || u == nil {
			t.Fatalf("%v, %v", u, err)
		}
		return u.GetUID()
	}
	before := uid()

	harness.Rewrite(t, w, renamable("west", `"west"`))
	harness.PlanFails(t, w, `as member "west" is registered as member "east"`, `remove the fleet_member_cluster "east" first`)
	harness.Rewrite(t, w, renamable("east"))
	contains(t, must(t, w, "apply", "-auto-approve"), "1 to leave on the cluster")
	harness.Rewrite(t, w, renamable("west", `"west"`))
	harness.ApplyPlanned(t, w, []string{`fleet_member_cluster.m["west"] will be created`, "fleet_crp.p will be updated in-place"})
	contains(t, must(t, w, "plan"), "No changes.")
	if uid() != before {
		t.Error("the object was recreated")
	}
	must(t, w, "destroy", "-auto-approve")
	fleet.Absent(t, "member-3", "v1", "ConfigMap", "default", "renamed")
}
