package membership

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

// configMaps returns a placement of a namespace with n ConfigMaps on members that the same configuration registers.
func configMaps(name string, n int) string {
	placement := fleet.ManyConfigMaps(fleet.Env.Kubeconfig, name, n)
	return strings.Replace(placement, "\n  manifests = ", "\n  "+harness.AfterMembers+"  manifests = ", 1) + harness.Members
}

// A member that is down blocks no other member: the plan says that it was not checked, the status that it was unreachable, and the next apply continues with
// it.
func TestMemberDown(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	binary := fleet.Newest(t)
	if !fleet.Env.CanStopMembers() {
		t.Skip("these clusters cannot be stopped")
	}
	config := configMaps("down", 2)
	w := fleet.Open(t, binary, "", config)
	fleet.MustDestroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve")

	if err := fleet.Env.StopMember(t.Context(), "member-3"); err != nil {
		t.Fatal(err)
	}
	running := false
	start := func() {
		if !running {
			running = true
			if err := fleet.Env.StartMember(context.Background(), "member-3"); err != nil {
				t.Fatal(err)
			}
		}
	}
	defer start()
	contains(t, must(t, w, "plan"), "No changes.", `Placement "down": 1 cluster could not be checked`, "member-3: NOT CHECKED")
	harness.Rewrite(t, w, strings.ReplaceAll(config, "data: {number: \\\"1\\\"}", "data: {number: \\\"changed\\\"}"))
	contains(t, must(t, w, "plan"), "1 cluster NOT CHECKED", "member-3: NOT CHECKED", "2 to update on member-1 and member-2")
	contains(t, must(t, w, "apply", "-auto-approve"), "1 cluster not reached", "member-3")
	fleet.Check(t, "member-1", "v1", "ConfigMap", "down", "c01", "changed", "data", "number")
	contains(t, must(t, w, "show"), `phase = "Unreachable"`, "member-3: Unreachable")
	// The plan shows the remaining changes.
	contains(t, must(t, w, "plan"), "update in-place", "member-3: NOT CHECKED")

	start()
	contains(t, must(t, w, "apply", "-auto-approve"), "1 changed")
	fleet.Check(t, "member-3", "v1", "ConfigMap", "down", "c01", "changed", "data", "number")
	contains(t, must(t, w, "plan"), "No changes.")
}

// If a member rejects the credentials, only that member is affected.
func TestExpiredCredentials(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	binary := fleet.Newest(t)
	expired := clusters.Expired("member-2")
	if !fleet.Env.Has(expired) {
		t.Skip("these clusters have no expired credentials")
	}
	config := configMaps("expired", 1)
	w := fleet.Open(t, binary, "", config)
	fleet.MustDestroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve", "-target=fleet_member_cluster.member_1", "-target=fleet_member_cluster.member_2", "-target=fleet_member_cluster.member_3")
	harness.Rewrite(t, w, strings.Replace(config, `config_context = "member-2"`, fmt.Sprintf("config_context = %q", expired), 1))
	out := must(t, w, "plan", "-refresh=false")
	contains(t, out, "member-2: NOT CHECKED", "credentials")
	harness.Rewrite(t, w, config)
}
