package kube_test

import (
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Writes in the name of another program: an agent on the member, whose apply is to be foreseen.
const (
	agent           = "example-agent"
	agentAnnotation = "example.com/last-applied-configuration"
)

// managersOf lists the managers of an object as "name operation", a subresource's aside.
func managersOf(obj *unstructured.Unstructured) (out []string) {
	for _, manager := range obj.GetManagedFields() {
		if manager.Subresource == "" {
			out = append(out, manager.Manager+" "+string(manager.Operation))
		}
	}
	return out
}

func assertManagers(t *testing.T, obj *unstructured.Unstructured, want ...string) {
	t.Helper()
	if got := managersOf(obj); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("managers %v, want %v", got, want)
	}
}

func TestServerSideApplyAsAnotherManager(t *testing.T) {
	cluster, ctx := realCluster(t), within(t, time.Minute)
	namespace := newNamespace(t, cluster)
	const before = `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, labels: {team: a}}, data: {a: "1", b: "1"}}`
	const after = `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: "2"}}`
	live := must[*unstructured.Unstructured](t)(cluster.Create(ctx, in(t, namespace, before), kube.WriteOptions{FieldManager: agent}))
	assertManagers(t, live, agent+" Update")

	// Whose fields are its own goes by the manager of the write: the agent has no conflict, and the cluster's own manager has.
	tried, changed, err := cluster.ApplyServerSide(ctx, in(t, namespace, after), live, kube.ApplyOptions{FieldManager: agent, DryRun: true})
	if err != nil || !changed || field(tried, "data", "a") != "2" {
		t.Fatalf("dry run as the agent: %v, %v", changed, err)
	}
	_, _, err = cluster.ApplyServerSide(ctx, in(t, namespace, after), live, kube.ApplyOptions{DryRun: true})
	if conflicts := conflictOf(t, err).Conflicts; len(conflicts) != 1 || conflicts[0] != (kube.Conflict{Manager: agent, Field: ".data.a"}) {
		t.Errorf("dry run as ourselves: %+v", conflicts)
	}

	// What the agent owned by its create leaves the object with the manifest, and nothing becomes ours.
	applied, changed, err := cluster.ApplyServerSide(ctx, in(t, namespace, after), live, kube.ApplyOptions{FieldManager: agent})
	if err != nil || !changed {
		t.Fatalf("%v, %v", changed, err)
	}
	if field(applied, "data") != "map[a:2]" || field(applied, "metadata", "labels") != "absent" {
		t.Errorf("data %s, labels %s", field(applied, "data"), field(applied, "metadata", "labels"))
	}
	assertManagers(t, applied, agent+" Apply")

	// To the agent the cluster's own manager is one of the others.
	const ours = `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: ours}}`
	live, _, err = cluster.ApplyServerSide(ctx, in(t, namespace, ours), applied, kube.ApplyOptions{Force: true})
	if err != nil {
		t.Fatal(err)
	}
	assertManagers(t, live, kube.DefaultFieldManager+" Apply")
	for _, dryRun := range []bool{true, false} {
		_, _, err = cluster.ApplyServerSide(ctx, in(t, namespace, after), live, kube.ApplyOptions{FieldManager: agent, DryRun: dryRun})
		conflicts := conflictOf(t, err).Conflicts
		if len(conflicts) != 1 || conflicts[0] != (kube.Conflict{Manager: kube.DefaultFieldManager, Field: ".data.a"}) {
			t.Errorf("dry run %v: %+v", dryRun, conflicts)
		}
	}
}

// An object of ours by update is not turned into one by apply when somebody else applies.
func TestOwnershipOfOthersIsNotMigrated(t *testing.T) {
	cluster, ctx := realCluster(t), within(t, time.Minute)
	namespace := newNamespace(t, cluster)
	live := must[*unstructured.Unstructured](t)(cluster.Create(ctx,
		in(t, namespace, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: ours}}`), kube.WriteOptions{}))
	before := cluster.Stats().Writes
	applied, _, err := cluster.ApplyServerSide(ctx, in(t, namespace, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {b: theirs}}`),
		live, kube.ApplyOptions{FieldManager: agent})
	if err != nil || field(applied, "data") != "map[a:ours b:theirs]" {
		t.Errorf("%s, %v", field(applied, "data"), err)
	}
	if writes := cluster.Stats().Writes - before; writes != 1 {
		t.Errorf("%d writes, want the apply alone", writes)
	}
	assertManagers(t, applied, agent+" Apply", kube.DefaultFieldManager+" Update")
}

func TestClientSideApplyAsAnotherManager(t *testing.T) {
	cluster, ctx := realCluster(t), within(t, time.Minute)
	namespace := newNamespace(t, cluster)
	as := kube.ApplyOptions{FieldManager: agent, LastAppliedAnnotation: agentAnnotation}
	live, _, err := cluster.ApplyClientSide(ctx, in(t, namespace, deployment), nil, as)
	if err != nil {
		t.Fatal(err)
	}
	if field(live, "metadata", "annotations", agentAnnotation) == "absent" || field(live, "metadata", "annotations", kube.DefaultLastAppliedAnnotation) != "absent" {
		t.Errorf("annotations %s", field(live, "metadata", "annotations"))
	}
	assertManagers(t, live, agent+" Update")

	// Fields leave the object by the agent's annotation; by our own, which is not there, none does.
	dryRun := as
	dryRun.DryRun = true
	tried, changed, err := cluster.ApplyClientSide(ctx, in(t, namespace, deploymentChanged), live, dryRun)
	if err != nil || !changed || field(tried, "metadata", "labels", "team") != "absent" || field(tried, "spec", "replicas") != "1" {
		t.Errorf("dry run as the agent: %v, %s, %v", changed, field(tried, "metadata", "labels"), err)
	}
	tried, changed, err = cluster.ApplyClientSide(ctx, in(t, namespace, deploymentChanged), live, kube.ApplyOptions{DryRun: true})
	if err != nil || !changed || field(tried, "metadata", "labels", "team") != "a" || field(tried, "spec", "replicas") != "2" {
		t.Errorf("dry run as ourselves: %v, %s, %v", changed, field(tried, "metadata", "labels"), err)
	}

	applied, changed, err := cluster.ApplyClientSide(ctx, in(t, namespace, deploymentChanged), live, as)
	if err != nil || !changed || field(applied, "metadata", "labels", "team") != "absent" {
		t.Fatalf("%v, %v", changed, err)
	}
	assertManagers(t, applied, agent+" Update")
	before := cluster.Stats().Requests
	if _, changed, err = cluster.ApplyClientSide(ctx, in(t, namespace, deploymentChanged), applied, as); err != nil || changed || cluster.Stats().Requests != before {
		t.Errorf("again: %v, %v, %d requests", changed, err, cluster.Stats().Requests-before)
	}
}

func TestWritesAsAnotherManager(t *testing.T) {
	cluster, ctx := realCluster(t), within(t, time.Minute)
	namespace := newNamespace(t, cluster)
	created := must[*unstructured.Unstructured](t)(cluster.Create(ctx,
		in(t, namespace, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: "1"}}`), kube.WriteOptions{}))
	created.Object["data"] = map[string]any{"a": "1", "b": "2"}
	updated := must[*unstructured.Unstructured](t)(cluster.Update(ctx, created, kube.WriteOptions{FieldManager: "updater"}))
	assertManagers(t, updated, kube.DefaultFieldManager+" Update", "updater Update")
	patched := must[*unstructured.Unstructured](t)(cluster.Patch(ctx, kube.RefOf(created), types.MergePatchType,
		[]byte(`{"data":{"c":"3"}}`), kube.WriteOptions{FieldManager: "patcher"}))
	got := map[string]bool{}
	for _, manager := range managersOf(patched) {
		got[manager] = true
	}
	if len(got) != 3 || !got["updater Update"] || !got["patcher Update"] || !got[kube.DefaultFieldManager+" Update"] {
		t.Errorf("managers %v", got)
	}
}
