package membership

import (
	"fmt"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
)

// surroundings are what a placement depends on: the members and their label that the policy selects, the value of an override, and the content of an envelope.
type surroundings struct {
	members   map[string]string
	overrides string
	quota     string
}

const (
	canary  = "canary"
	planned = `
apiVersion: v1
kind: Namespace
metadata: {name: planned}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: planned}
data: {level: "%s"}
`
)

func (s surroundings) String() string {
	var members strings.Builder
	for _, name := range fleet.Env.Members {
		if environment, is := s.members[name]; is {
			fmt.Fprintf(&members, "    %s = %q\n", name, environment)
		}
	}
	return fleet.Provider(fleet.Env.Kubeconfig) + `
resource "fleet_member_cluster" "member" {
  for_each = {
` + members.String() + `  }
  name   = each.key
  labels = { environment = each.value }
}
resource "fleet_resource_override" "o" {
  name               = "planned"
  namespace          = "planned"
  resource_selectors = [{ group = "", version = "v1", kind = "ConfigMap", name = "settings" }]
  policy = { override_rules = [{
    cluster_selector     = { cluster_selector_terms = [{ label_selector = {} }] }
    json_patch_overrides = [{ op = "replace", path = "/data/level", value = jsonencode("` + s.overrides + `") }]
  }] }
}
resource "fleet_envelope_configmap" "e" {
  name      = "envelope"
  namespace = "planned"
  manifests = { "quota.yaml" = "{apiVersion: v1, kind: ResourceQuota, metadata: {name: quota, namespace: planned}, spec: {hard: {pods: '` + s.quota + `'}}}" }
}
resource "fleet_crp" "p" {
  name               = "planned"
  resource_selectors = [{ group = "", version = "v1", kind = "Namespace", name = "planned" }]
  policy = { affinity = { cluster_affinity = { required_during_scheduling_ignored_during_execution = { cluster_selector_terms = [
    { label_selector = { match_labels = { environment = "production" } } },
  ] } } } }
  strategy   = { apply_strategy = { when_to_take_over = "Always" } }
  depends_on = [fleet_member_cluster.member, fleet_resource_override.o, fleet_envelope_configmap.e]
}
`
}

// checkChange plans a change of the surroundings and applies it: the plan shows its effects on the clusters, one apply produces all of them, and the next plan
// is empty. The short suite checks for an empty plan only after the last change, which combines all others.
func checkChange(t *testing.T, w *workspace.Workspace, shown ...string) {
	t.Helper()
	harness.ApplyPlanned(t, w, append(shown, "fleet_crp.p will be updated in-place"))
	if !testing.Short() {
		contains(t, must(t, w, "plan"), "No changes.")
	}
}

// A plan shows the result of the whole run: the plan of a placement includes changes of members, overrides and envelopes in the same run.
func TestPlannedWorld(t *testing.T) {
	for _, binary := range fleet.EveryCLI(t) {
		t.Run(binary.String(), func(t *testing.T) {
			fleet.Put(t, "hub", fmt.Sprintf(planned, "hub"))
			fleet.Put(t, "member-3", fmt.Sprintf(planned, "theirs"))
			w := fleet.Open(t, binary, "", "")
			run := func(args ...string) string { t.Helper(); return must(t, w, args...) }
			is := surroundings{members: map[string]string{"member-1": "production", "member-2": canary}, overrides: "low", quota: "10"}
			change := func(f func()) { t.Helper(); f(); harness.Rewrite(t, w, is.String()) }
			level := func(member, want string) {
				t.Helper()
				fleet.Check(t, member, "v1", "ConfigMap", "planned", "settings", want, "data", "level")
			}
			harness.Rewrite(t, w, is.String())
			fleet.LeaveAtEnd(t, w)

			// The first plan uses the labels that it sets itself, and reports the cluster that no resource registers.
			harness.ApplyPlanned(t, w, []string{"3 to create on member-1 (after joining the fleet,",
				"member-2: not picked: ", "member-3: not picked: cluster is not connected to the fleet: no fleet_member_cluster registers it"})
			level("member-1", "low")
			fleet.Absent(t, "member-2", "v1", "Namespace", "", "planned")
			contains(t, run("plan"), "No changes.")

			// A new member with pre-existing objects.
			change(func() { is.members["member-3"] = "production" })
			checkChange(t, w, "2 existing objects on member-3 to take over", `data.level: "theirs" -> "low"`,
				"1 to create, 2 to take over on member-3 (after joining the fleet,")
			level("member-3", "low")

			// A label of a member.
			change(func() { is.members["member-2"] = "production" })
			checkChange(t, w, "3 to create on member-2")
			level("member-2", "low")

			// The value of an override.
			change(func() { is.overrides = "high" })
			checkChange(t, w, "3 to update on member-1, member-2 and member-3")
			level("member-3", "high")

			// The content of an envelope.
			change(func() { is.quota = "20" })
			checkChange(t, w, "3 to update on member-1, member-2 and member-3")
			fleet.Check(t, "member-2", "v1", "ResourceQuota", "planned", "quota", "20", "spec", "hard", "pods")

			// All changes combined, in a saved plan. The objects stay on a leaving member.
			change(func() { delete(is.members, "member-2"); is.overrides, is.quota = "middle", "30" })
			contains(t, run("plan", "-out=saved"), "fleet_crp.p will be updated in-place", "member-1 and member-3: 2 to update",
				"member-2: NO LONGER PICKED (cluster is leaving the fleet: its fleet_member_cluster is to be destroyed): 3 to leave on the cluster")
			run("apply", "saved")
			level("member-1", "middle")
			level("member-2", "high")
			fleet.Check(t, "member-2", "v1", "Namespace", "", "planned", nil, "metadata", "labels", "applyset.kubernetes.io/part-of")
			contains(t, run("plan"), "No changes.")
			fleet.RemoveAtEnd(t, "member-2", "v1", "Namespace", "", "planned")
		})
	}
}

// The preview cannot include values known after apply, and the plan says so. The apply may then have no changes.
func TestPlannedWorldUnknown(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	clusters.Need(t, fleet.Env)
	configuration := func(run string) string {
		return fleet.Provider(fleet.Env.Kubeconfig) + `
resource "terraform_data" "environment" {
  input            = "production"
  triggers_replace = "` + run + `"
}
resource "fleet_member_cluster" "member" {
  name   = "member-1"
  labels = { environment = terraform_data.environment.output }
}
resource "fleet_crp" "p" {
  name       = "unknown"
  manifests  = { "ns.yaml" = "{apiVersion: v1, kind: Namespace, metadata: {name: unknown}}" }
  policy = { affinity = { cluster_affinity = { required_during_scheduling_ignored_during_execution = { cluster_selector_terms = [
    { label_selector = { match_labels = { environment = "production" } } },
  ] } } } }
  depends_on = [fleet_member_cluster.member]
}
`
	}
	for _, binary := range fleet.EveryCLI(t) {
		t.Run(binary.String(), func(t *testing.T) {
			w := fleet.Open(t, binary, "", configuration("first"))
			fleet.LeaveAtEnd(t, w)
			const unknown = "Known only after apply, and so not in this preview: MemberCluster member-1."
			contains(t, must(t, w, "plan"), unknown, "member-1: not picked")
			must(t, w, "apply", "-auto-approve")
			fleet.Check(t, "member-1", "v1", "Namespace", "", "unknown", "Active", "status", "phase")
			contains(t, must(t, w, "plan"), "No changes.")

			harness.Rewrite(t, w, configuration("second"))
			contains(t, must(t, w, "plan"), unknown, "fleet_crp.p will be updated in-place", "member-1: 1 unchanged")
			must(t, w, "apply", "-auto-approve")
			contains(t, must(t, w, "plan"), "No changes.")
		})
	}
}
