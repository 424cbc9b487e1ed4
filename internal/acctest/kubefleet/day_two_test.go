package kubefleet

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/gobuild"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
)

const (
	placementAPI = "placement.kubernetes-fleet.io/v1beta1"
	runKind      = "ClusterStagedUpdateRun"
)

// A run waits for an approval, which an action gives. Evictions follow the disruption budget. The resources can be imported by ID and by identity, with
// generated configuration, and listed.
func TestDayTwo(t *testing.T) {
	clusters.Need(t, env)
	root, err := gobuild.Root()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, "examples", "staged-update")
	put(t, env.Hub, read(t, filepath.Join(dir, "hub.yaml")))
	const team = "{apiVersion: v1, kind: Namespace, metadata: {name: team}}\n---\n" +
		"{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: team}, data: {greeting: hello}}"
	put(t, env.Hub, team)
	for _, member := range env.Members {
		put(t, member, "{apiVersion: v1, kind: Namespace, metadata: {name: team}}")
	}
	w := newWorkspace(t, read(t, filepath.Join(dir, "fleet.tf"))+`
resource "fleet_resource_placement" "team" {
  namespace          = "team"
  name               = "settings"
  resource_selectors = [{ group = "", version = "v1", kind = "ConfigMap", name = "settings" }]
  policy             = { placement_type = "PickFixed", cluster_names = ["member-1"] }
  depends_on         = [fleet_member_cluster.member]
}
`+inNamespace)
	out := must(t, w, "apply", "-auto-approve")
	contains(t, out, `The staged update run "staged-1" waits for an approval`, "canary: Waiting (1 of 1 clusters), awaits the approval staged-1-after-canary",
		"Approve it with the action fleet_stage_approval.")
	checkConfigMap(t, "staged", "member-1")
	checkConfigMap(t, "team", "member-1")
	contains(t, out, `team = "member-1 member-2=create"`)
	t.Run("only how it is followed", func(t *testing.T) { changeLocalArguments(t, w) })
	out = must(t, w, "apply", "-auto-approve", "-invoke=action.fleet_stage_approval.canary")
	contains(t, out, "staged-1-after-canary is approved", "run staged-1: Succeeded", "stage production: Succeeded (2 of 2 clusters)")
	checkConfigMap(t, "staged", env.Members...)
	out = must(t, w, "plan", "-var=wait_until=Succeeded")
	contains(t, out, `-> "Succeeded (2 of 2 clusters)"`, "You can apply this plan to save these new output values")

	t.Run("evictions", func(t *testing.T) { checkEvictions(t, w) })
	t.Run("imports", func(t *testing.T) { checkImports(t, w) })
	t.Run("lists", checkLists)
	must(t, w, "destroy", "-auto-approve")
	for _, left := range [][2]string{{runKind, "staged-1"}, {"ClusterStagedUpdateStrategy", "by-ring"}, {"ClusterResourcePlacementDisruptionBudget", "staged"}} {
		if u := get(t, env.Hub, placementAPI, left[0], "", left[1]); u != nil {
			t.Errorf("not deleted: %s", text(u))
		}
	}
}

// inNamespace reads the team's placement, and previews another one.
const inNamespace = `
data "fleet_crp" "team" {
  namespace  = "team"
  name       = fleet_resource_placement.team.name
  wait_for   = { condition = "Available" }
}
data "fleet_placement_preview" "team" {
  namespace          = "team"
  name               = "next"
  resource_selectors = [{ group = "", version = "v1", kind = "ConfigMap", name = "settings" }]
  policy             = { placement_type = "PickFixed", cluster_names = ["member-2"] }
  depends_on         = [fleet_resource_placement.team] # else it may be read before the members are planned
}
output "team" {
  value = join(" ", concat(keys(data.fleet_crp.team.status.placement_statuses), [
    for name, c in data.fleet_placement_preview.team.clusters : "${name}=${c.objects[0].action}" if c.picked
  ]))
}
`

// checkConfigMap checks that a ConfigMap is on members.
func checkConfigMap(t *testing.T, namespace string, members ...string) {
	t.Helper()
	for _, member := range members {
		if get(t, member, "v1", "ConfigMap", namespace, "settings") == nil {
			t.Errorf("the ConfigMap %s/settings is not on %s", namespace, member)
		}
	}
}

// changeLocalArguments changes arguments that are not sent to the hub.
func changeLocalArguments(t *testing.T, w *workspace.Workspace) {
	before := get(t, env.Hub, placementAPI, runKind, "", "staged-1")
	out := must(t, w, "apply", "-auto-approve", "-var=wait_until=Succeeded")
	contains(t, out, "Plan: 0 to add, 1 to change, 0 to destroy.")
	if strings.Contains(out, "known after apply") {
		t.Errorf("the plan shows known values as unknown:\n%s", out)
	}
	if after := get(t, env.Hub, placementAPI, runKind, "", "staged-1"); after.GetResourceVersion() != before.GetResourceVersion() {
		t.Errorf("the run was written: %s", text(after))
	}
}

// checkEvictions checks a blocked eviction and an executed one.
func checkEvictions(t *testing.T, w *workspace.Workspace) {
	const invoke = "-invoke=action.fleet_eviction.member_3"
	out, err := w.Run(t.Context(), nil, "apply", "-auto-approve", "-no-color", invoke)
	if err == nil {
		t.Errorf("the eviction was not blocked:\n%s", out)
	}
	contains(t, out, "the provider has asked the hub to evict the placement", `The placement "staged" was not evicted from "member-3"`, "the eviction was not allowed, and nothing was removed")
	must(t, w, "apply", "-auto-approve", "-var=min_available=2", "-var=wait_until=Succeeded")
	out = must(t, w, "apply", "-auto-approve", "-var=min_available=2", "-var=wait_until=Succeeded", invoke)
	contains(t, out, "staged was removed from member-3")
	if u := get(t, "member-3", "v1", "ConfigMap", "staged", "settings"); u != nil {
		t.Errorf("it still exists: %s", text(u))
	}
}

// imported imports the resources of the other configuration.
const imported = `
import {
  provider = fleet
  to       = fleet_staged_update_strategy.it
  identity = { name = "by-ring" }
}
import {
  provider = fleet
  to       = fleet_staged_update_run.it
  id       = "staged-1"
}
import {
  provider = fleet
  to       = fleet_disruption_budget.it
  identity = { name = "staged" }
}
import {
  provider = fleet
  to       = fleet_resource_placement.it
  identity = { namespace = "team", name = "settings" }
}
`

// checkImports imports resources into another state by ID and by identity, and one again into its own state with terraform import.
func checkImports(t *testing.T, w *workspace.Workspace) {
	other := newWorkspace(t, provider(env.Kubeconfig)+imported)
	defer write(t, other.Dir, provider(env.Kubeconfig))
	defer func() { _ = os.Remove(filepath.Join(other.Dir, "generated.tf")) }()
	contains(t, must(t, other, "plan", "-generate-config-out=generated.tf"), "Plan: 4 to import, 0 to add, 0 to change, 0 to destroy.")
	must(t, w, "state", "rm", "fleet_resource_placement.team")
	must(t, w, "import", "fleet_resource_placement.team", "team/settings")
	contains(t, must(t, w, "plan", "-var=min_available=2", "-var=wait_until=Succeeded"), "No changes.")
}

// madeByKubectl are objects of another client.
const madeByKubectl = `
apiVersion: cluster.kubernetes-fleet.io/v1beta1
kind: MemberCluster
metadata:
  name: azure-1
  labels: {ring: none, fleet.azure.com/location: westeurope}
  annotations: {fleet.azure.com/cluster-resource-id: /subscriptions/1/resourceGroups/g/providers/Microsoft.ContainerService/managedClusters/azure-1}
spec:
  identity: {kind: User, name: azure, apiGroup: rbac.authorization.k8s.io}
  taints: [{key: elsewhere, effect: NoSchedule}]
---
apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ResourceEnvelope
metadata: {name: quota, namespace: team, labels: {made-by: kubectl}}
data:
  quota.yaml: {apiVersion: v1, kind: ResourceQuota, metadata: {name: quota, namespace: team}, spec: {hard: {pods: "10"}}}
---
apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ClusterResourceOverride
metadata: {name: by-hand, labels: {made-by: kubectl}}
spec:
  placement: {name: by-hand}
  clusterResourceSelectors: [{group: "", version: v1, kind: Namespace, name: nothing-of-this-name}]
  policy:
    overrideRules:
      - clusterSelector: {clusterSelectorTerms: []}
        jsonPatchOverrides: [{op: add, path: /metadata/labels/cluster, value: "${MEMBER-CLUSTER-NAME}"}]
---
apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ResourceOverride
metadata: {name: by-hand, namespace: team, labels: {made-by: kubectl}}
spec:
  resourceSelectors: [{group: "", version: v1, kind: ConfigMap, name: settings}]
  policy:
    overrideRules:
      - clusterSelector: {clusterSelectorTerms: [{labelSelector: {matchLabels: {ring: none}}}]}
        overrideType: Delete
---
apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: StagedUpdateStrategy
metadata: {name: by-hand, namespace: team, labels: {made-by: kubectl}}
spec: {stages: [{name: all, labelSelector: {}}]}
`

// secret lists resources with sensitive values. Terraform omits these values from the configuration that it generates, so that configuration is not complete.
const secret = `
list "fleet_envelope_configmap" "all" {
  provider = fleet
  config { namespace = "team" }
}
list "fleet_cluster_resource_override" "all" { provider = fleet }
`

// query lists the other types of resources on the hub.
const query = `
list "fleet_member_cluster" "azure" {
  provider = fleet
  config { label_selector = "fleet.azure.com/location" }
}
list "fleet_crp" "all" { provider = fleet }
list "fleet_resource_placement" "all" {
  provider = fleet
  config { namespace = "team" }
}
list "fleet_resource_override" "all" {
  provider = fleet
  config { label_selector = "made-by=kubectl" }
}
list "fleet_staged_update_strategy" "all" { provider = fleet }
list "fleet_staged_update_run" "all" { provider = fleet }
list "fleet_disruption_budget" "all" { provider = fleet }
`

// importsOnly matches the summary of a plan that only imports.
var importsOnly = regexp.MustCompile(`Plan: (\d+) to import, 0 to add, 0 to change, 0 to destroy\.`)

// checkLists lists the resources of the hub, including objects of other clients, and plans their import with the generated configuration.
func checkLists(t *testing.T) {
	put(t, env.Hub, madeByKubectl)
	t.Cleanup(func() { remove(t, madeByKubectl) })
	w := newWorkspace(t, provider(env.Kubeconfig))
	queries, generated := filepath.Join(w.Dir, "all.tfquery.hcl"), filepath.Join(w.Dir, "generated.tf")
	if err := os.WriteFile(queries, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	contains(t, must(t, w, "query"), "name=by-hand", "name=quota,namespace=team", "team/quota")
	if err := os.WriteFile(queries, []byte(query), 0o600); err != nil {
		t.Fatal(err)
	}
	out := must(t, w, "query", "-generate-config-out=generated.tf")
	contains(t, out, "name=azure-1", "name=staged", "name=settings,namespace=team", "name=staged-1", "name=by-ring", "name=by-hand,namespace=team")
	defer func() { _ = os.Remove(generated) }()
	// The hub may also have objects of other tests.
	plan := must(t, w, "plan")
	counted := importsOnly.FindStringSubmatch(plan)
	if counted == nil || len(counted[1]) == 1 && counted[1] < "8" {
		t.Errorf("%s\n%s", plan, read(t, generated))
	}
}

// remove deletes objects on the hub, and does not wait: a hub keeps a member whose agent never joined for the force-delete-wait-time of its agent.
func remove(t *testing.T, objects string) {
	t.Helper()
	client, err := env.Client(env.Hub)
	if err != nil {
		t.Fatal(err)
	}
	found, err := fixture.Parse([]byte(objects))
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range found {
		live, err := client.Find(context.Background(), fixture.RefOf(u))
		if err == nil && live != nil {
			err = client.Drop(context.Background(), live)
		}
		if err != nil {
			t.Error(err)
		}
	}
}
