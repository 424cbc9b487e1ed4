package kubefleet

import (
	"maps"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/world"
)

// storage is a Namespace on the hub, and a database in an envelope: a StatefulSet with a volume claim template, and its Service.
const storage = `
resource "fleet_envelope_configmap" "db" {
  name      = "db"
  namespace = "$ns"
  manifests = {
    "service.yaml" = "{apiVersion: v1, kind: Service, metadata: {name: db}, spec: {clusterIP: None, selector: {app: db}}}"
    "db.yaml"      = <<-EOT
      apiVersion: apps/v1
      kind: StatefulSet
      metadata: {name: db}
      spec:
        serviceName: db
        selector: {matchLabels: {app: db}}
        template:
          metadata: {labels: {app: db}}
          spec: {containers: [{name: db, image: db}]}
        volumeClaimTemplates: [{metadata: {name: disk}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]
    EOT
  }
}
`

// placesStorage places the Namespace with its contents. Claims are never bound in these tests, so rollouts must not wait for them.
const placesStorage = `
resource "fleet_crp" "NAME" {
  name               = "$ns-NAME"
  resource_selectors = [{ group = "", version = "v1", kind = "Namespace", name = "$ns" }]
  wait               = { until = "Applied" }
  strategy = {
    rolling_update = { max_unavailable = "100%", unavailable_period_seconds = 0 }
    apply_strategy = { when_to_take_over = "Never" }
  }
  depends_on = [fleet_envelope_configmap.db]
  MORE
}
`

// placing returns the configuration of a placement of the storage.
func placing(name, more string) string {
	return strings.NewReplacer("NAME", name, "MORE", more).Replace(placesStorage)
}

// giving returns the configuration of a placement whose resource is destroyed after another one has taken over its objects.
func giving(name, to string) string {
	text := strings.Replace(placing(name, "count = 0"), "[fleet_envelope_configmap.db]", "[fleet_envelope_configmap.db, fleet_crp."+to+"]", 1)
	return text
}

// stored are the objects of the storage on a member, including the Pod and the claim that the StatefulSet creates.
var stored = [][2]string{
	{"v1", "Service db"}, {"apps/v1", "StatefulSet db"}, {"v1", "Pod db-0"}, {"v1", "PersistentVolumeClaim disk-db-0"},
}

// storedOn waits until the database exists on the members, and returns the UIDs of its objects.
func storedOn(t *testing.T, namespace string, members ...string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, member := range members {
		for _, object := range stored {
			kind, name, _ := strings.Cut(object[1], " ")
			harness.Await(t, object[1]+" on "+member, func() bool {
				u := get(t, member, object[0], kind, namespace, name)
				if u != nil && u.GetDeletionTimestamp() == nil {
					out[member+" "+object[1]] = string(u.GetUID())
				}
				return u != nil
			})
		}
	}
	return out
}

// storing applies a placement "bulk" of the storage in its own Namespace. configuration returns the storage with placements.
func storing(t *testing.T, name string) (w *world.World, run *workspace.Workspace, configuration func(placements ...string) string) {
	t.Helper()
	w = world.New(t, env, name, env.Hub)
	configuration = func(placements ...string) string {
		return provider(env.Kubeconfig) + w.Expand(storage+strings.Join(placements, ""))
	}
	run = newWorkspace(t, configuration(placing("bulk", "")))
	must(t, run, "apply", "-auto-approve")
	return w, run, configuration
}

// A placement on a hub gets another name and another placement type: a second placement takes over its objects, as the plans show. No object is deleted or
// recreated, no Pod is restarted, and the plan of a replacement advises this way.
func TestRenameByHandOver(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	fleet.Parallel(t)
	w, run, configuration := storing(t, "renaming")
	before := storedOn(t, w.Expand("$ns"), env.Members...)

	write(t, run.Dir, configuration(placing("bulk", `policy = { placement_type = "PickN", number_of_clusters = 3 }`)))
	contains(t, must(t, run, "plan"), "must be replaced", "REPLACED", w.Expand(`takes_over_from = ["$ns-bulk"]`), "count = 0")

	write(t, run.Dir, configuration(
		placing("web", `takes_over_from = ["$ns-bulk"]`+"\n"+`policy = { placement_type = "PickN", number_of_clusters = 3 }`), giving("bulk", "web")))
	out := must(t, run, "plan", "-out=saved")
	contains(t, out, "9 to take over from other placements on member-1, member-2 and member-3",
		w.Expand(`take over from placement "$ns-bulk": Namespace $ns, StatefulSet $ns/db`),
		w.Expand(`Placement "$ns-bulk" (3 clusters) will be removed: 9 handed over`), "1 to add, 0 to change, 1 to destroy")
	if strings.Contains(out, "DELETE") || strings.Contains(out, "conflict") {
		t.Errorf("the plan shows a deletion or a conflict:\n%s", out)
	}
	must(t, run, "apply", "saved")
	if after := storedOn(t, w.Expand("$ns"), env.Members...); !maps.Equal(before, after) {
		t.Errorf("UIDs before: %v, after: %v", before, after)
	}
	if u := get(t, env.Hub, placementAPI, "ClusterResourcePlacement", "", w.Expand("$ns-bulk")); u != nil {
		t.Errorf("the hub still has %s", text(u))
	}
	contains(t, must(t, run, "plan"), "No changes.")
	write(t, run.Dir, configuration(placing("web", `policy = { placement_type = "PickN", number_of_clusters = 3 }`)))
	contains(t, must(t, run, "plan"), "No changes.")
	contains(t, must(t, run, "destroy", "-auto-approve"), w.Expand(`Placement "$ns-web" (3 clusters) will be removed: 9 to delete`))
}

// Without depends_on, Terraform may plan the giver first: the plan returns an error that says what to write, and nothing is applied. takes_over_from_removed
// does not take over from a placement that exists on the hub.
func TestHandOverOnHubInWrongOrder(t *testing.T) {
	fleet.Parallel(t)
	w, run, configuration := storing(t, "order")
	for _, c := range []struct {
		placements []string
		texts      []string
	}{
		{[]string{placing("web", `takes_over_from = ["$ns-bulk"]`)}, []string{"planned before", "count = 0", "depends_on"}},
		{[]string{placing("web", `takes_over_from_removed = ["$ns-bulk"]`), giving("bulk", "web")}, []string{"takes_over_from_removed", "count = 0"}},
		{[]string{placing("web", `takes_over_from = ["$ns-bulk"]`), strings.Replace(giving("bulk", "web"), "count = 0", "", 1)}, []string{
			w.Expand(`Placement "$ns-web" takes over objects that "$ns-bulk" places as well`),
		}},
	} {
		write(t, run.Dir, configuration(c.placements...))
		harness.PlanFails(t, run, c.texts...)
	}
	write(t, run.Dir, configuration(placing("bulk", ""))) // so that it can be destroyed
}

// A database moves from the engine "direct" to a hub in two applies: in the first, the old placement is set to keep its objects on the clusters; the second
// destroys it, and the hub takes the objects over. No object is deleted or recreated, no Pod is restarted, and the plans show this.
func TestMoveFromDirectToHub(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	fleet.Parallel(t)
	w := world.New(t, env, "moving", env.Hub)
	providers := provider(env.Kubeconfig) + strings.NewReplacer(
		"provider \"fleet\" {", "provider \"fleet\" {\n  alias = \"direct\"", `"kubefleet"`, `"direct"`).Replace(provider(env.Kubeconfig))
	const members = "\nresource \"fleet_member_cluster\" \"direct\" {\n  provider = fleet.direct\n  for_each = toset([\"member-1\", \"member-2\", \"member-3\"])\n  name     = each.key\n}\n"
	configuration := func(resources ...string) string { return providers + members + w.Expand(strings.Join(resources, "")) }
	direct := func(more string) string {
		_, manifests, _ := strings.Cut(storage, "manifests = {")
		manifests = strings.NewReplacer("metadata: {name: db}", "metadata: {name: db, namespace: $ns}").Replace(manifests)
		return `
resource "fleet_crp" "direct" {
  provider  = fleet.direct
  name      = "$ns-direct"
  wait      = { until = "Applied" }
  depends_on = [fleet_member_cluster.direct]
  ` + more + `
  manifests = {
    "namespace.yaml" = "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}"` + manifests
	}
	run := newWorkspace(t, configuration(direct("")))
	must(t, run, "apply", "-auto-approve")
	before := storedOn(t, w.Expand("$ns"), env.Members...)

	write(t, run.Dir, configuration(direct(`strategy = { delete_strategy = { propagation_policy = "Abandon" } }`)))
	contains(t, must(t, run, "apply", "-auto-approve"), "0 to add, 1 to change, 0 to destroy")

	hub := strings.Replace(placing("hub", ""), `"Never"`, `"Always"`, 1) // the Namespace on the hub has a label
	write(t, run.Dir, configuration(storage, hub))
	out := must(t, run, "plan", "-out=saved")
	contains(t, out, w.Expand(`Placement "$ns-direct" (3 clusters) will be removed: 9 left on the cluster`),
		w.Expand(`Placement "$ns-hub" (3 clusters): 9 existing objects on 3 clusters to take over`), "2 to add, 0 to change, 1 to destroy")
	if strings.Contains(out, "DELETE") {
		t.Errorf("the plan shows a deletion:\n%s", out)
	}
	must(t, run, "apply", "saved")
	if after := storedOn(t, w.Expand("$ns"), env.Members...); !maps.Equal(before, after) {
		t.Errorf("UIDs before: %v, after: %v", before, after)
	}
	contains(t, must(t, run, "plan"), "No changes.")
}

// A fleet_resource_placement takes over the objects in a Namespace from a fleet_crp, which must still place the Namespace. Otherwise the plan is an error.
func TestMoveToResourcePlacement(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	fleet.Parallel(t)
	w, run, configuration := storing(t, "narrowing")
	before := storedOn(t, w.Expand("$ns"), env.Members...)

	const inside = `
resource "fleet_resource_placement" "db" {
  name               = "db"
  namespace          = "$ns"
  takes_over_from    = ["$ns-bulk"]
  resource_selectors = [{ group = "placement.kubernetes-fleet.io", version = "v1beta1", kind = "ResourceEnvelope", name = "db" }]
  wait               = { until = "Applied" }
  strategy           = { rolling_update = { max_unavailable = "100%", unavailable_period_seconds = 0 } }
  depends_on         = [fleet_envelope_configmap.db]
}
`
	write(t, run.Dir, configuration(inside, strings.Replace(giving("bulk", "web"), "fleet_crp.web", "fleet_resource_placement.db", 1)))
	harness.PlanFails(t, run, w.Expand("Namespace $ns and everything in it, including"), "NamespaceOnly")

	outside := strings.NewReplacer(`name = "$ns" }`, `name = "$ns", selection_scope = "NamespaceOnly" }`,
		"[fleet_envelope_configmap.db]", "[fleet_resource_placement.db]").Replace(placing("bulk", ""))
	write(t, run.Dir, configuration(inside, outside))
	out := must(t, run, "plan", "-out=saved")
	contains(t, out, "6 to take over from other placements on member-1, member-2 and member-3", "6 to hand over on member-1, member-2 and member-3",
		w.Expand(`hand over to placement "$ns/db": `), "1 to add, 1 to change, 0 to destroy")
	if strings.Contains(out, "DELETE") {
		t.Errorf("the plan shows a deletion:\n%s", out)
	}
	must(t, run, "apply", "saved")
	if after := storedOn(t, w.Expand("$ns"), env.Members...); !maps.Equal(before, after) {
		t.Errorf("UIDs before: %v, after: %v", before, after)
	}
	contains(t, must(t, run, "plan"), "No changes.")
}
