package kube_test

import (
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// agent is another program that applies objects to the member, with its own last applied annotation.
const (
	agent           = "example-agent"
	agentAnnotation = "example.com/last-applied-configuration"
)

// managersOf lists the managers of an object as "name operation", except those of subresources.
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
	cluster, ctx := realCluster(t), withTimeout(t, time.Minute)
	namespace := newNamespace(t, cluster)
	const before = `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, labels: {team: a}}, data: {a: "1", b: "1"}}`
	const after = `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: "2"}}`
	live := must[*unstructured.Unstructured](t)(cluster.Create(ctx, inNamespace(t, namespace, before), kube.WriteOptions{FieldManager: agent}))
	assertManagers(t, live, agent+" Update")

	// Conflicts depend on the manager of the write: the agent has no conflict with itself, but the default manager conflicts with the agent.
	tried, changed, err := cluster.ApplyServerSide(ctx, inNamespace(t, namespace, after), live, kube.ApplyOptions{FieldManager: agent, DryRun: true})
	if err != nil || !changed || field(tried, "data", "a") != "2" {
		t.Fatalf("dry run as the agent: %v, %v", changed, err)
	}
	_, _, err = cluster.ApplyServerSide(ctx, inNamespace(t, namespace, after), live, kube.ApplyOptions{DryRun: true})
	if conflicts := conflictOf(t, err).Conflicts; len(conflicts) != 1 || conflicts[0] != (kube.Conflict{Manager: agent, Field: ".data.a"}) {
		t.Errorf("dry run as ourselves: %+v", conflicts)
	}

	// Fields that the agent owned by its create are removed if they leave the manifest, and the default manager owns no fields.
	applied, changed, err := cluster.ApplyServerSide(ctx, inNamespace(t, namespace, after), live, kube.ApplyOptions{FieldManager: agent})
	if err != nil || !changed {
		t.Fatalf("%v, %v", changed, err)
	}
	if field(applied, "data") != "map[a:2]" || field(applied, "metadata", "labels") != "absent" {
		t.Errorf("data %s, labels %s", field(applied, "data"), field(applied, "metadata", "labels"))
	}
	assertManagers(t, applied, agent+" Apply")

	// For the agent, the default manager is another manager.
	const ours = `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: ours}}`
	live, _, err = cluster.ApplyServerSide(ctx, inNamespace(t, namespace, ours), applied, kube.ApplyOptions{Force: true})
	if err != nil {
		t.Fatal(err)
	}
	assertManagers(t, live, kube.DefaultFieldManager+" Apply")
	for _, dryRun := range []bool{true, false} {
		_, _, err = cluster.ApplyServerSide(ctx, inNamespace(t, namespace, after), live, kube.ApplyOptions{FieldManager: agent, DryRun: dryRun})
		conflicts := conflictOf(t, err).Conflicts
		if len(conflicts) != 1 || conflicts[0] != (kube.Conflict{Manager: kube.DefaultFieldManager, Field: ".data.a"}) {
			t.Errorf("dry run %v: %+v", dryRun, conflicts)
		}
	}
}

// The default manager's ownership by update is not migrated by the apply of another manager.
func TestOwnershipOfOthersIsNotMigrated(t *testing.T) {
	cluster, ctx := realCluster(t), withTimeout(t, time.Minute)
	namespace := newNamespace(t, cluster)
	live := must[*unstructured.Unstructured](t)(cluster.Create(ctx,
		inNamespace(t, namespace, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: ours}}`), kube.WriteOptions{}))
	before := cluster.Stats().Writes
	applied, _, err := cluster.ApplyServerSide(ctx, inNamespace(t, namespace, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {b: theirs}}`),
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
	cluster, ctx := realCluster(t), withTimeout(t, time.Minute)
	namespace := newNamespace(t, cluster)
	as := kube.ApplyOptions{FieldManager: agent, LastAppliedAnnotation: agentAnnotation}
	live, _, err := cluster.ApplyClientSide(ctx, inNamespace(t, namespace, deployment), nil, as)
	if err != nil {
		t.Fatal(err)
	}
	if field(live, "metadata", "annotations", agentAnnotation) == "absent" || field(live, "metadata", "annotations", kube.DefaultLastAppliedAnnotation) != "absent" {
		t.Errorf("annotations %s", field(live, "metadata", "annotations"))
	}
	assertManagers(t, live, agent+" Update")

	// The agent's annotation decides which fields the agent removes. The default annotation is absent, so no field is removed for it.
	dryRun := as
	dryRun.DryRun = true
	tried, changed, err := cluster.ApplyClientSide(ctx, inNamespace(t, namespace, deploymentChanged), live, dryRun)
	if err != nil || !changed || field(tried, "metadata", "labels", "team") != "absent" || field(tried, "spec", "replicas") != "1" {
		t.Errorf("dry run as the agent: %v, %s, %v", changed, field(tried, "metadata", "labels"), err)
	}
	tried, changed, err = cluster.ApplyClientSide(ctx, inNamespace(t, namespace, deploymentChanged), live, kube.ApplyOptions{DryRun: true})
	if err != nil || !changed || field(tried, "metadata", "labels", "team") != "a" || field(tried, "spec", "replicas") != "2" {
		t.Errorf("dry run as ourselves: %v, %s, %v", changed, field(tried, "metadata", "labels"), err)
	}

	applied, changed, err := cluster.ApplyClientSide(ctx, inNamespace(t, namespace, deploymentChanged), live, as)
	if err != nil || !changed || field(applied, "metadata", "labels", "team") != "absent" {
		t.Fatalf("%v, %v", changed, err)
	}
	assertManagers(t, applied, agent+" Update")
	before := cluster.Stats().Requests
	if _, changed, err = cluster.ApplyClientSide(ctx, inNamespace(t, namespace, deploymentChanged), applied, as); err != nil || changed || cluster.Stats().Requests != before {
		t.Errorf("again: %v, %v, %d requests", changed, err, cluster.Stats().Requests-before)
	}
}

func TestWritesAsAnotherManager(t *testing.T) {
	cluster, ctx := realCluster(t), withTimeout(t, time.Minute)
	namespace := newNamespace(t, cluster)
	created := must[*unstructured.Unstructured](t)(cluster.Create(ctx,
		inNamespace(t, namespace, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: "1"}}`), kube.WriteOptions{}))
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
