package acctest

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

// databaseManifests are a StatefulSet with a claim of its own, a claim of its template, a Service and a ConfigMap, in a Namespace that does not belong to it.
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

// besides is what stays beside the database.
const besides = `
{apiVersion: v1, kind: Namespace, metadata: {name: NAME}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: NAME}, data: {color: blue}}
`

// moved are the objects of the database on a cluster, and the Pod and the claim that its StatefulSet creates.
var moved = [][3]string{
	{"v1", "Service", "db"}, {"v1", "ConfigMap", "db"}, {"v1", "PersistentVolumeClaim", "backup"}, {"apps/v1", "StatefulSet", "db"},
	{"v1", "Pod", "db-0"}, {"v1", "PersistentVolumeClaim", "disk-db-0"},
}

// databaseOf waits until the database of a namespace exists on a cluster, and returns the UIDs of its objects.
func databaseOf(t *testing.T, cluster, namespace string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, object := range moved {
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
	// name is that of the namespace.
	name string
	// before has the UIDs of the database on each member.
	before map[string]map[string]string
}

// crp is a placement with manifests and further arguments. The claims are never bound here, so that no rollout may wait for them.
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

// kept fails the test unless the database is the one that it was before on each member.
func (h *handOver) kept(when string) {
	h.t.Helper()
	for _, member := range fleet.Env.Members {
		if after := databaseOf(h.t, member, h.name); !maps.Equal(h.before[member], after) {
			h.t.Errorf("%s: on %s there was %v, and is %v", when, member, h.before[member], after)
		}
	}
}

// see records the UIDs of the database.
func (h *handOver) see() {
	h.t.Helper()
	h.before = map[string]map[string]string{}
	for _, member := range fleet.Env.Members {
		h.before[member] = databaseOf(h.t, member, h.name)
	}
}

// A placement is split in two: the database gets a placement of its own, is neither deleted nor restarted, and both plans say so.
func TestSplitPlacement(t *testing.T) {
	t.Parallel()
	clusters.Need(t, fleet.Env)
	h := &handOver{t: t, name: "split"}
	w := fleet.Open(t, fleet.Newest(t), "", h.configuration(h.crp("bulk", []string{besides, databaseManifests}, "")))
	fleet.DestroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve")
	h.see()

	const from = `takes_over_from = ["NAME-bulk"]`
	harness.Rewrite(t, w, h.configuration(h.crp("db", []string{strings.Replace(databaseManifests, "primary", "standby", 1)}, from),
		h.crp("bulk", []string{besides}, "depends_on = [fleet_crp.db]")))
	out := must(t, w, "plan", "-out=saved")
	contains(t, out,
		`Placement "split-db" (3 clusters): 12 objects on 3 clusters to take over from other placements`,
		`Taken over from placement "split-bulk", and neither deleted nor recreated:`, "ConfigMap split/db on member-1, member-2 and member-3\n",
		`data.mode: "primary" -> "standby"`, "The removal of this placement deletes them",
		`take over from placement "split-bulk": `, "StatefulSet split/db", "12 to hand over on member-1, member-2 and member-3", `hand over to placement "split-db": `,
		"PersistentVolumeClaim split/backup",
		"1 to add, 1 to change, 0 to destroy")
	if strings.Contains(out, "DELETE") || strings.Contains(out, "conflict") || strings.Contains(out, "Handed over") {
		t.Errorf("the plan shows a deletion or a conflict, or warns of what is handed over:\n%s", out)
	}
	must(t, w, "apply", "saved")
	h.kept("after the split")
	contains(t, must(t, w, "plan"), "No changes.")

	// The argument is of no use any more, whether it stays or goes.
	db := strings.Replace(databaseManifests, "primary", "standby", 1)
	harness.Rewrite(t, w, h.configuration(h.crp("db", []string{db}, ""),
		h.crp("bulk", []string{besides}, "")))
	contains(t, must(t, w, "plan"), "No changes.")

	// The new owner deletes what the old one created, and nothing of the old one.
	harness.Rewrite(t, w, h.configuration(h.crp("bulk", []string{besides}, "")))
	contains(t, must(t, w, "apply", "-auto-approve"), `Placement "split-db" (3 clusters) will be removed: 12 to delete`)
	for _, member := range fleet.Env.Members {
		for _, object := range moved[:4] {
			if u, err := fleet.On(t, member).Get(t.Context(), object[0], object[1], h.name, object[2]); err != nil || u != nil && u.GetDeletionTimestamp() == nil {
				t.Errorf("%s still has the %s %s (%v)", member, object[1], object[2], err)
			}
		}
		if u, err := fleet.On(t, member).Get(t.Context(), "v1", "ConfigMap", h.name, "settings"); err != nil || u == nil {
			t.Errorf("%s has lost what the other placement has (%v)", member, err)
		}
	}
}

// Two placements become one: a removed block takes the giving one out of the state, and its records are removed with the last object.
func TestMergePlacements(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	clusters.Need(t, fleet.Env)
	h := &handOver{t: t, name: "merge"}
	w := fleet.Open(t, fleet.Newest(t), "", h.configuration(h.crp("web", []string{besides}, ""), h.crp("bulk", []string{databaseManifests}, "depends_on = [fleet_crp.web]")))
	fleet.DestroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve")
	h.see()
	const removed = "removed {\n  from = fleet_crp.bulk\n  lifecycle {\n    destroy = false\n  }\n}\n"
	merged := h.crp("web", []string{besides, databaseManifests}, `takes_over_from_removed = ["NAME-bulk"]`)
	harness.Rewrite(t, w, h.configuration(merged, removed))
	out := must(t, w, "plan", "-out=saved")
	contains(t, out, `12 objects on 3 clusters to take over from other placements`, `The records of placement "merge-bulk" are used without verification`,
		"will no longer be managed by Terraform")
	if strings.Contains(out, "DELETE") || strings.Contains(out, "conflict") {
		t.Errorf("the plan shows a deletion or a conflict:\n%s", out)
	}
	must(t, w, "apply", "saved")
	h.kept("after the merge")
	for _, member := range fleet.Env.Members {
		for _, kind := range []string{"ConfigMap", "Secret"} {
			if u, err := fleet.On(t, member).Get(t.Context(), "v1", kind, "fleet-system", "placement-merge-bulk"); err != nil || u != nil {
				t.Errorf("%s still has the %s of the record (%v)", member, kind, err)
			}
		}
	}
	contains(t, must(t, w, "plan"), "No changes.")
	harness.Rewrite(t, w, h.configuration(h.crp("web", []string{besides, databaseManifests}, "")))
	contains(t, must(t, w, "plan"), "No changes.")
	contains(t, must(t, w, "destroy", "-auto-approve"), `Placement "merge-web" (3 clusters) will be removed: 15 to delete`)
}

// One object moves between two placements that both exist, in a run that also destroys a third one and hands its objects over.
func TestMoveObjectBetweenPlacements(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	clusters.Need(t, fleet.Env)
	h := &handOver{t: t, name: "move"}
	w := fleet.Open(t, fleet.Newest(t), "", h.configuration(h.crp("web", []string{besides}, ""), h.crp("bulk", []string{databaseManifests}, "depends_on = [fleet_crp.web]")))
	fleet.DestroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve")
	h.see()
	claim := strings.Split(databaseManifests, "---")[2]
	rest := strings.Replace(databaseManifests, "---"+claim, "", 1)
	const from = `takes_over_from = ["NAME-bulk"]`
	harness.Rewrite(t, w, h.configuration(h.crp("web", []string{besides, claim}, from), h.crp("bulk", []string{rest}, "depends_on = [fleet_crp.web]")))
	contains(t, must(t, w, "apply", "-auto-approve"), "3 to take over from other placements on member-1, member-2 and member-3",
		`take over from placement "move-bulk": PersistentVolumeClaim move/backup`, "3 to hand over on member-1, member-2 and member-3", `hand over to placement "move-web": PersistentVolumeClaim move/backup`)
	h.kept("after the move")
	contains(t, must(t, w, "plan"), "No changes.")

	// The resource of the giver remains in the configuration with count = 0, so that it is planned after the taker, and is destroyed.
	harness.Rewrite(t, w, h.configuration(h.crp("web", []string{besides, claim, rest}, from), h.crp("bulk", []string{rest}, "count = 0\ndepends_on = [fleet_crp.web]")))
	contains(t, must(t, w, "apply", "-auto-approve"), `Placement "move-bulk" (3 clusters) will be removed: 9 handed over`)
	h.kept("after the removal of the giver")
	contains(t, must(t, w, "plan"), "No changes.")
	for _, member := range fleet.Env.Members {
		if u, err := fleet.On(t, member).Get(t.Context(), "v1", "ConfigMap", "fleet-system", "placement-move-bulk"); err != nil || u != nil {
			t.Errorf("%s still has the record (%v)", member, err)
		}
	}
	contains(t, must(t, w, "destroy", "-auto-approve"), `Placement "move-web" (3 clusters) will be removed: 15 to delete`)
}

// A plan in which the giver comes first is an error that says how to put the taker first, and so is an object that both place.
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
		harness.Refused(t, w, c.texts...)
	}
	// The plan warns of a name that no cluster knows, and its conflict says what to do.
	harness.Rewrite(t, w, h.configuration(h.crp("web", []string{two}, `takes_over_from = ["NAME-bluk"]`), h.crp("bulk", []string{one, two}, "")))
	contains(t, must(t, w, "plan"), `No checked cluster has a record of placement "order-bluk"`, "takes_over_from")
}
