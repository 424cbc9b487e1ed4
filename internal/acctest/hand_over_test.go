package acctest

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

// databaseManifests are a StatefulSet with a volume claim template, a separate claim, a Service and a ConfigMap. Their Namespace is in otherObjects.
const databaseManifests = `
{apiVersion: v1, kind: Service, metadata: {name: db, namespace: NAME}, spec: {clusterIP: None, selector: {app: db}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: db, namespace: NAME}, data: {mode: primary}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: backup, namespace: NAME}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: NAME}
spec:
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: db, image: db, volumeMounts: [{name: disk, mountPath: /data}]}]}
  volumeClaimTemplates: [{metadata: {name: disk}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]
`

// otherObjects are the objects that stay in the other placement.
const otherObjects = `
{apiVersion: v1, kind: Namespace, metadata: {name: NAME}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: NAME}, data: {color: blue}}
`

// databaseObjects are the objects of the database on a cluster, including the Pod and the claim that the StatefulSet creates.
var databaseObjects = [][3]string{
	{"v1", "Service", "db"}, {"v1", "ConfigMap", "db"}, {"v1", "PersistentVolumeClaim", "backup"}, {"apps/v1", "StatefulSet", "db"},
	{"v1", "Pod", "db-0"}, {"v1", "PersistentVolumeClaim", "disk-db-0"},
}

// databaseOf waits until the database of a namespace exists on a cluster, and returns the UIDs of its objects.
func databaseOf(t *testing.T, cluster, namespace string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, object := range databaseObjects {
		harness.Await(t, object[1]+" "+object[2]+" of the database on "+cluster, func() bool {
			u, err := fleet.On(t, cluster).Get(t.Context(), object[0], object[1], namespace, object[2])
			if err != nil {
				t.Fatal(err)
			}
			if u != nil && u.GetDeletionTimestamp() == nil {
				out[object[1]+" "+object[2]] = string(u.GetUID())
			}
			return u != nil
		})
	}
	return out
}

// handOver is a configuration whose placements change while their objects stay.
type handOver struct {
	t *testing.T
	// name is the namespace.
	name string
	// before has the UIDs of the database's objects by member.
	before map[string]map[string]string
}

// crp returns a placement with manifests and further arguments. Claims are never bound in these tests, so rollouts must not wait for them.
func (h *handOver) crp(name string, manifests []string, more string) string {
	var texts []string
	for i, text := range manifests {
		texts = append(texts, fmt.Sprintf("\"%d.yaml\" = <<-EOT\n%s\nEOT\n", i, strings.ReplaceAll(strings.TrimSpace(text), "NAME", h.name)))
	}
	return fmt.Sprintf("resource \"fleet_crp\" %q {\n  name = %q\n  manifests = {\n%s}\n  wait = { until = \"Applied\" }\n  strategy = {\n    rolling_update = { max_unavailable = \"100%%\", unavailable_period_seconds = 0 }\n"+
		"    apply_strategy = { when_to_take_over = \"Never\" }\n  }\n%s\n}\n",
		name, h.name+"-"+name, strings.Join(texts, ""), strings.ReplaceAll(more, "NAME", h.name))
}

func (h *handOver) configuration(placements ...string) string {
	return fleet.Provider(fleet.Env.Kubeconfig) + strings.Join(placements, "")
}

// checkDatabase checks that each member still has the same database.
func (h *handOver) checkDatabase(when string) {
	h.t.Helper()
	for _, member := range fleet.Env.Members {
		if after := databaseOf(h.t, member, h.name); !maps.Equal(h.before[member], after) {
			h.t.Errorf("%s: UIDs on %s were %v, now %v", when, member, h.before[member], after)
		}
	}
}

// recordUIDs records the UIDs of the database's objects.
func (h *handOver) recordUIDs() {
	h.t.Helper()
	h.before = map[string]map[string]string{}
	for _, member := range fleet.Env.Members {
		h.before[member] = databaseOf(h.t, member, h.name)
	}
}

// A placement is split in two: the database moves to a new placement without being deleted or restarted, as both plans show.
func TestSplitPlacement(t *testing.T) {
	t.Parallel()
	clusters.Need(t, fleet.Env)
	h := &handOver{t: t, name: "split"}
	w := fleet.Open(t, fleet.Newest(t), "", h.configuration(h.crp("bulk", []string{otherObjects, databaseManifests}, "")))
	fleet.DestroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve")
	h.recordUIDs()

	const from = `takes_over_from = ["NAME-bulk"]`
	harness.Rewrite(t, w, h.configuration(h.crp("db", []string{strings.Replace(databaseManifests, "primary", "standby", 1)}, from),
		h.crp("bulk", []string{otherObjects}, "depends_on = [fleet_crp.db]")))
	out := must(t, w, "plan", "-out=saved")
	contains(t, out,
		`Placement "split-db" (3 clusters): 12 objects on 3 clusters to take over from other placements`,
		`Taken over from placement "split-bulk", not deleted or recreated:`, "ConfigMap split/db on member-1, member-2 and member-3\n",
		`data.mode: "primary" -> "standby"`, "The removal of this placement deletes them",
		`take over from placement "split-bulk": `, "StatefulSet split/db", "12 to hand over on member-1, member-2 and member-3", `hand over to placement "split-db": `,
		"PersistentVolumeClaim split/backup",
		"1 to add, 1 to change, 0 to destroy")
	if strings.Contains(out, "DELETE") || strings.Contains(out, "conflict") || strings.Contains(out, "Handed over") {
		t.Errorf("the plan shows a deletion or a conflict, or warns about objects handed over:\n%s", out)
	}
	must(t, w, "apply", "saved")
	h.checkDatabase("after the split")
	contains(t, must(t, w, "plan"), "No changes.")

	// After the handover, keeping or removing the argument has no effect.
	db := strings.Replace(databaseManifests, "primary", "standby", 1)
	harness.Rewrite(t, w, h.configuration(h.crp("db", []string{db}, ""),
		h.crp("bulk", []string{otherObjects}, "")))
	contains(t, must(t, w, "plan"), "No changes.")

	// The new owner deletes the objects that the old one created, and none that the old one still owns.
	harness.Rewrite(t, w, h.configuration(h.crp("bulk", []string{otherObjects}, "")))
	contains(t, must(t, w, "apply", "-auto-approve"), `Placement "split-db" (3 clusters) will be removed: 12 to delete`)
	for _, member := range fleet.Env.Members {
		for _, object := range databaseObjects[:4] {
			if u, err := fleet.On(t, member).Get(t.Context(), object[0], object[1], h.name, object[2]); err != nil || u != nil && u.GetDeletionTimestamp() == nil {
				t.Errorf("%s still has %s %s (%v)", member, object[1], object[2], err)
			}
		}
		if u, err := fleet.On(t, member).Get(t.Context(), "v1", "ConfigMap", h.name, "settings"); err != nil || u == nil {
			t.Errorf("%s lost an object of the other placement (%v)", member, err)
		}
	}
}

// Two placements are merged: a removed block removes the giving one from the state, and its records are deleted with the last object.
func TestMergePlacements(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	clusters.Need(t, fleet.Env)
	h := &handOver{t: t, name: "merge"}
	w := fleet.Open(t, fleet.Newest(t), "", h.configuration(h.crp("web", []string{otherObjects}, ""), h.crp("bulk", []string{databaseManifests}, "depends_on = [fleet_crp.web]")))
	fleet.DestroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve")
	h.recordUIDs()
	const removed = "removed {\n  from = fleet_crp.bulk\n  lifecycle {\n    destroy = false\n  }\n}\n"
	merged := h.crp("web", []string{otherObjects, databaseManifests}, `takes_over_from_removed = ["NAME-bulk"]`)
	harness.Rewrite(t, w, h.configuration(merged, removed))
	out := must(t, w, "plan", "-out=saved")
	contains(t, out, `12 objects on 3 clusters to take over from other placements`, `The records of placement "merge-bulk" are used without verification`,
		"will no longer be managed by Terraform")
	if strings.Contains(out, "DELETE") || strings.Contains(out, "conflict") {
		t.Errorf("the plan shows a deletion or a conflict:\n%s", out)
	}
	must(t, w, "apply", "saved")
	h.checkDatabase("after the merge")
	for _, member := range fleet.Env.Members {
		for _, kind := range []string{"ConfigMap", "Secret"} {
			if u, err := fleet.On(t, member).Get(t.Context(), "v1", kind, "fleet-system", "placement-merge-bulk"); err != nil || u != nil {
				t.Errorf("%s still has the record's %s (%v)", member, kind, err)
			}
		}
	}
	contains(t, must(t, w, "plan"), "No changes.")
	harness.Rewrite(t, w, h.configuration(h.crp("web", []string{otherObjects, databaseManifests}, "")))
	contains(t, must(t, w, "plan"), "No changes.")
	contains(t, must(t, w, "destroy", "-auto-approve"), `Placement "merge-web" (3 clusters) will be removed: 15 to delete`)
}

// One object moves between two existing placements. The next run destroys the giver, which hands over its other objects.
func TestMoveObjectBetweenPlacements(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	clusters.Need(t, fleet.Env)
	h := &handOver{t: t, name: "move"}
	w := fleet.Open(t, fleet.Newest(t), "", h.configuration(h.crp("web", []string{otherObjects}, ""), h.crp("bulk", []string{databaseManifests}, "depends_on = [fleet_crp.web]")))
	fleet.DestroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve")
	h.recordUIDs()
	claim := strings.Split(databaseManifests, "---")[2]
	rest := strings.Replace(databaseManifests, "---"+claim, "", 1)
	const from = `takes_over_from = ["NAME-bulk"]`
	harness.Rewrite(t, w, h.configuration(h.crp("web", []string{otherObjects, claim}, from), h.crp("bulk", []string{rest}, "depends_on = [fleet_crp.web]")))
	contains(t, must(t, w, "apply", "-auto-approve"), "3 to take over from other placements on member-1, member-2 and member-3",
		`take over from placement "move-bulk": PersistentVolumeClaim move/backup`, "3 to hand over on member-1, member-2 and member-3", `hand over to placement "move-web": PersistentVolumeClaim move/backup`)
	h.checkDatabase("after the move")
	contains(t, must(t, w, "plan"), "No changes.")

	// The giver's resource stays in the configuration with count = 0, so that Terraform plans it after the taker and destroys it.
	harness.Rewrite(t, w, h.configuration(h.crp("web", []string{otherObjects, claim, rest}, from), h.crp("bulk", []string{rest}, "count = 0\ndepends_on = [fleet_crp.web]")))
	contains(t, must(t, w, "apply", "-auto-approve"), `Placement "move-bulk" (3 clusters) will be removed: 9 handed over`)
	h.checkDatabase("after the removal of the giver")
	contains(t, must(t, w, "plan"), "No changes.")
	for _, member := range fleet.Env.Members {
		if u, err := fleet.On(t, member).Get(t.Context(), "v1", "ConfigMap", "fleet-system", "placement-move-bulk"); err != nil || u != nil {
			t.Errorf("%s still has the record (%v)", member, err)
		}
	}
	contains(t, must(t, w, "destroy", "-auto-approve"), `Placement "move-web" (3 clusters) will be removed: 15 to delete`)
}

// The plan returns an error if the giver is planned first, and says how to order them. An object in both placements is an error too.
func TestHandOverInWrongOrder(t *testing.T) {
	t.Parallel()
	clusters.Need(t, fleet.Env)
	h := &handOver{t: t, name: "order"}
	const one, two = "{apiVersion: v1, kind: ConfigMap, metadata: {name: NAME-one, namespace: default}}", "{apiVersion: v1, kind: ConfigMap, metadata: {name: NAME-two, namespace: default}}"
	w := fleet.Open(t, fleet.Newest(t), "", h.configuration(h.crp("bulk", []string{one, two}, "")))
	fleet.DestroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve")
	const from = `takes_over_from = ["NAME-bulk"]`
	for _, c := range []struct {
		bulk, web string
		texts     []string
	}{
		{h.crp("bulk", []string{one}, ""), h.crp("web", []string{two}, from+"\n  depends_on = [fleet_crp.bulk]"), []string{
			`Placement "order-bulk" was planned before "order-web", which takes objects over from it`,
			`plans "order-web" first, add to the resource of placement "order-bulk":`, "depends_on = [fleet_crp.NAME]",
		}},
		{h.crp("bulk", []string{one, two}, "depends_on = [fleet_crp.web]"), h.crp("web", []string{two}, from), []string{
			`Placement "order-web" takes over objects that "order-bulk" places as well`, "ConfigMap default/order-two on member-1",
		}},
		{h.crp("bulk", []string{one}, "depends_on = [fleet_crp.web]"), h.crp("web", []string{two}, `takes_over_from_removed = ["NAME-bulk"]`), []string{
			`Placement "order-bulk" is not removed from the state`, "takes_over_from",
		}},
		{"", h.crp("web", []string{two}, `takes_over_from = ["NAME-web"]`), []string{"A placement takes objects over from itself"}},
		{"resource \"terraform_data\" \"name\" {}\n", h.crp("web", []string{two}, "takes_over_from = [terraform_data.name.id]"), []string{
			"The name of a placement is known only after apply",
		}},
	} {
		harness.Rewrite(t, w, h.configuration(c.web, c.bulk))
		harness.PlanFails(t, w, c.texts...)
	}
	// The plan warns about a placement that no cluster has a record of, and the conflict says what to do.
	harness.Rewrite(t, w, h.configuration(h.crp("web", []string{two}, `takes_over_from = ["NAME-bluk"]`), h.crp("bulk", []string{one, two}, "")))
	contains(t, must(t, w, "plan"), `No checked cluster has a record of placement "order-bluk"`, "takes_over_from")
}
