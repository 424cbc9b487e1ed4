package kube_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: api, labels: {team: a}}
spec:
  replicas: 2
  selector: {matchLabels: {app: api}}
  template:
    metadata: {labels: {app: api}}
    spec:
      containers:
      - {name: app, image: "app:1", env: [{name: LEVEL, value: debug}]}
`

const deploymentChanged = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: api}
spec:
  selector: {matchLabels: {app: api}}
  template:
    metadata: {labels: {app: api}}
    spec:
      containers:
      - {name: app, image: "app:2"}
`

// asOther returns a client of the same cluster with another field manager.
func asOther(t *testing.T, manager string) *kube.Cluster {
	t.Helper()
	return realCluster(t, func(o *kube.Options) { o.FieldManager = manager })
}

func TestServerSideApplyAfterCreate(t *testing.T) {
	cluster, ctx := realCluster(t), withTimeout(t, time.Minute)
	namespace := newNamespace(t, cluster)
	created := must[*unstructured.Unstructured](t)(cluster.Create(ctx, inNamespace(t, namespace, deployment), kube.WriteOptions{}))

	// A controller writes the status, so that there are other managers.
	time.Sleep(500 * time.Millisecond)
	live := must[*unstructured.Unstructured](t)(cluster.Get(ctx, deploymentGVK, namespace, "api"))

	// A dry run has no conflict with its own manager, and is not stored.
	tried, changed, err := cluster.ApplyServerSide(ctx, inNamespace(t, namespace, deploymentChanged), live, kube.ApplyOptions{DryRun: true})
	if err != nil || !changed {
		t.Fatalf("dry run: %v, %v", changed, err)
	}
	if image := firstContainer(t, tried)["image"]; image != "app:2" {
		t.Errorf("dry run: image %v", image)
	}
	if again := must[*unstructured.Unstructured](t)(cluster.Get(ctx, deploymentGVK, namespace, "api")); again.GetGeneration() != created.GetGeneration() {
		t.Error("the dry run was stored")
	}

	applied, changed, err := cluster.ApplyServerSide(ctx, inNamespace(t, namespace, deploymentChanged), live, kube.ApplyOptions{})
	if err != nil || !changed {
		t.Fatalf("%v, %v", changed, err)
	}
	if container := firstContainer(t, applied); container["image"] != "app:2" || container["env"] != nil {
		t.Errorf("the removed variable remains: %v", container)
	}
	if got := field(applied, "metadata", "labels", "team"); got != "absent" {
		t.Errorf("the removed label remains: %s", got)
	}
	if got := field(applied, "spec", "replicas"); got != "1" {
		t.Errorf("without replicas in the manifest, want the default: %s", got)
	}
	for _, manager := range applied.GetManagedFields() {
		if manager.Manager == kube.DefaultFieldManager && (manager.Operation != "Apply" || manager.Time.IsZero()) {
			t.Errorf("ownership by update remains: %+v", manager)
		}
	}

	_, changed, err = cluster.ApplyServerSide(ctx, inNamespace(t, namespace, deploymentChanged), applied, kube.ApplyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if changed {
		t.Error("a second apply of the same manifest changed the object")
	}
}

func firstContainer(t *testing.T, obj *unstructured.Unstructured) map[string]any {
	t.Helper()
	containers, _, _ := unstructured.NestedSlice(obj.Object, "spec", "template", "spec", "containers")
	if len(containers) == 0 {
		t.Fatal("no containers")
	}
	container, _ := containers[0].(map[string]any)
	return container
}

func TestServerSideApplyConflicts(t *testing.T) {
	cluster, ctx := realCluster(t), withTimeout(t, time.Minute)
	namespace := newNamespace(t, cluster)
	const ours, theirs = `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: ours, b: ours, "c.d": ours}}`,
		`{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: theirs, "c.d": theirs, x: theirs}}`
	live := must[*unstructured.Unstructured](t)(cluster.Create(ctx, inNamespace(t, namespace, ours), kube.WriteOptions{}))
	_, _, err := asOther(t, "helm").ApplyServerSide(ctx, inNamespace(t, namespace, theirs), live, kube.ApplyOptions{Force: true})
	if err != nil {
		t.Fatal(err)
	}
	live = must[*unstructured.Unstructured](t)(cluster.Get(ctx, configMapGVK, namespace, "c"))

	changed := inNamespace(t, namespace, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: new, b: new, "c.d": new}}`)
	for _, dryRun := range []bool{true, false} {
		_, _, err = cluster.ApplyServerSide(ctx, changed, live, kube.ApplyOptions{DryRun: dryRun})
		conflict := conflictOf(t, err)
		want := []kube.Conflict{{Manager: "helm", Field: ".data.a"}, {Manager: "helm", Field: ".data.c.d"}}
		if len(conflict.Conflicts) != 2 || conflict.Conflicts[0] != want[0] || conflict.Conflicts[1] != want[1] {
			t.Errorf("dry run %v: %+v", dryRun, conflict.Conflicts)
		}
		if !kube.IsConflict(err) {
			t.Error("not a conflict")
		}
		assertErrorContains(t, err, `"helm" owns .data.a`)
	}
	live = must[*unstructured.Unstructured](t)(cluster.Get(ctx, configMapGVK, namespace, "c"))
	result, _, err := cluster.ApplyServerSide(ctx, changed, live, kube.ApplyOptions{Force: true})
	if err != nil || field(result, "data", "a") != "new" || field(result, "data", "x") != "theirs" {
		t.Errorf("forced: %v, %v", field(result, "data"), err)
	}
}

// applyWays has the two ways to apply as one function type.
var applyWays = map[string]func(*kube.Cluster) func(*testing.T, *unstructured.Unstructured, *unstructured.Unstructured, kube.ApplyOptions) (*unstructured.Unstructured, bool, error){
	"server side": func(c *kube.Cluster) func(*testing.T, *unstructured.Unstructured, *unstructured.Unstructured, kube.ApplyOptions) (*unstructured.Unstructured, bool, error) {
		return func(t *testing.T, obj, live *unstructured.Unstructured, opts kube.ApplyOptions) (*unstructured.Unstructured, bool, error) {
			return c.ApplyServerSide(withTimeout(t, time.Minute), obj, live, opts)
		}
	},
	"client side": func(c *kube.Cluster) func(*testing.T, *unstructured.Unstructured, *unstructured.Unstructured, kube.ApplyOptions) (*unstructured.Unstructured, bool, error) {
		return func(t *testing.T, obj, live *unstructured.Unstructured, opts kube.ApplyOptions) (*unstructured.Unstructured, bool, error) {
			return c.ApplyClientSide(withTimeout(t, time.Minute), obj, live, opts)
		}
	},
}

func TestApplyOntoAnotherObject(t *testing.T) {
	const text = `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: "1"}}`
	const changed = `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: "2"}}`
	for name, way := range applyWays {
		t.Run(name, func(t *testing.T) {
			cluster, ctx := realCluster(t), withTimeout(t, time.Minute)
			namespace, apply := newNamespace(t, cluster), way(realCluster(t))
			first, _, err := apply(t, inNamespace(t, namespace, text), nil, kube.ApplyOptions{})
			if err != nil {
				t.Fatal(err)
			}
			ref := kube.RefOf(first)
			if err := cluster.Delete(ctx, ref, first.GetUID(), ""); err != nil {
				t.Fatal(err)
			}
			_, _, err = apply(t, inNamespace(t, namespace, changed), first, kube.ApplyOptions{})
			if !kube.IsConflict(err) && !kube.IsNotFound(err) {
				t.Errorf("deleted since: %v", err)
			}
			if _, err := cluster.Get(ctx, configMapGVK, namespace, "c"); !kube.IsNotFound(err) {
				t.Errorf("it was created again: %v", err)
			}
			second, _, err := apply(t, inNamespace(t, namespace, text), nil, kube.ApplyOptions{})
			if err != nil {
				t.Fatal(err)
			}
			_, _, err = apply(t, inNamespace(t, namespace, changed), first, kube.ApplyOptions{})
			if !kube.IsConflict(err) {
				t.Errorf("replaced since: %v", err)
			}
			live := must[*unstructured.Unstructured](t)(cluster.Get(ctx, configMapGVK, namespace, "c"))
			if live.GetUID() != second.GetUID() || field(live, "data", "a") != "1" {
				t.Error("the other object was changed")
			}
			_, err = cluster.Patch(ctx, ref, types.MergePatchType, []byte(`{"data":{"b":"other"}}`), kube.WriteOptions{})
			if err != nil {
				t.Fatal(err)
			}
			_, _, err = apply(t, inNamespace(t, namespace, changed), live, kube.ApplyOptions{OptimisticLock: true})
			if !kube.IsConflict(err) {
				t.Errorf("changed since: %v", err)
			}
			result, did, err := apply(t, inNamespace(t, namespace, changed), live, kube.ApplyOptions{})
			if err != nil || !did || field(result, "data", "b") != "other" {
				t.Errorf("without the lock: %v, %v", did, err)
			}
		})
	}
}

// A manager can apply the object that it created, even if others have written to it since: the migration of field ownership does not fail.
func TestApplyAfterCreateAndOthers(t *testing.T) {
	cluster, ctx := realCluster(t), withTimeout(t, time.Minute)
	namespace := newNamespace(t, cluster)
	const text = `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: "1", left: "1"}}`
	const changed = `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: "2"}}`
	created := must[*unstructured.Unstructured](t)(cluster.Create(ctx, inNamespace(t, namespace, text), kube.WriteOptions{}))
	theirs := kube.WriteOptions{FieldManager: "other"}
	if _, err := cluster.Patch(ctx, kube.RefOf(created), types.MergePatchType, []byte(`{"data":{"b":"other"}}`), theirs); err != nil {
		t.Fatal(err)
	}
	if _, _, err := cluster.ApplyServerSide(ctx, inNamespace(t, namespace, changed), created, kube.ApplyOptions{OptimisticLock: true}); !kube.IsConflict(err) {
		t.Errorf("with the lock: %v", err)
	}
	result, did, err := cluster.ApplyServerSide(ctx, inNamespace(t, namespace, changed), created, kube.ApplyOptions{})
	if err != nil || !did || field(result, "data", "a") != "2" || field(result, "data", "b") != "other" || field(result, "data", "left") != "absent" {
		t.Errorf("%v %v", result, err)
	}
	if err := cluster.Delete(ctx, kube.RefOf(created), created.GetUID(), ""); err != nil {
		t.Fatal(err)
	}
	again := must[*unstructured.Unstructured](t)(cluster.Create(ctx, inNamespace(t, namespace, text), kube.WriteOptions{FieldManager: "other"}))
	if _, _, err := cluster.ApplyServerSide(ctx, inNamespace(t, namespace, changed), created, kube.ApplyOptions{}); !kube.IsConflict(err) {
		t.Errorf("another object of the name: %v", err)
	}
	live := must[*unstructured.Unstructured](t)(cluster.Get(ctx, configMapGVK, namespace, "c"))
	if live.GetUID() != again.GetUID() || live.GetResourceVersion() != again.GetResourceVersion() {
		t.Error("the other object was changed")
	}
}

func TestClientSideApply(t *testing.T) {
	cluster, ctx := realCluster(t), withTimeout(t, time.Minute)
	namespace := newNamespace(t, cluster)
	live, changed, err := cluster.ApplyClientSide(ctx, inNamespace(t, namespace, deployment), nil, kube.ApplyOptions{})
	if err != nil || !changed {
		t.Fatal(changed, err)
	}
	// Another program adds a sidecar and a label.
	live = must[*unstructured.Unstructured](t)(cluster.Patch(ctx, kube.RefOf(live), types.StrategicMergePatchType,
		[]byte(`{"metadata":{"labels":{"x":"y"}},"spec":{"template":{"spec":{"containers":[{"name":"mesh","image":"mesh:1"}]}}}}`), kube.WriteOptions{}))

	before := cluster.Stats().Requests
	if _, changed, err = cluster.ApplyClientSide(ctx, inNamespace(t, namespace, deployment), live, kube.ApplyOptions{}); err != nil || changed {
		t.Errorf("nothing to do: %v, %v", changed, err)
	}
	if cluster.Stats().Requests != before {
		t.Error("a request was sent although nothing changes")
	}

	_, changed, err = cluster.ApplyClientSide(ctx, inNamespace(t, namespace, deploymentChanged), live, kube.ApplyOptions{DryRun: true})
	if err != nil || !changed {
		t.Errorf("dry run: %v, %v", changed, err)
	}
	result, changed, err := cluster.ApplyClientSide(ctx, inNamespace(t, namespace, deploymentChanged), live, kube.ApplyOptions{})
	if err != nil || !changed {
		t.Fatal(changed, err)
	}
	containers, _, _ := unstructured.NestedSlice(result.Object, "spec", "template", "spec", "containers")
	if len(containers) != 2 || field(result, "metadata", "labels", "team") != "absent" || field(result, "spec", "replicas") != "1" {
		t.Errorf("%d containers, labels %s, replicas %s", len(containers), field(result, "metadata", "labels"), field(result, "spec", "replicas"))
	}
	if _, changed, err = cluster.ApplyClientSide(ctx, inNamespace(t, namespace, deploymentChanged), result, kube.ApplyOptions{}); err != nil || changed {
		t.Errorf("again: %v, %v", changed, err)
	}
}

func TestCreate(t *testing.T) {
	cluster, ctx := realCluster(t), withTimeout(t, time.Minute)
	namespace := newNamespace(t, cluster)
	const text = `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: "1"}}`
	if _, err := cluster.Create(ctx, inNamespace(t, namespace, text), kube.WriteOptions{DryRun: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := cluster.Get(ctx, configMapGVK, namespace, "c"); !kube.IsNotFound(err) {
		t.Errorf("the dry run was stored: %v", err)
	}
	created := must[*unstructured.Unstructured](t)(cluster.Create(ctx, inNamespace(t, namespace, text), kube.WriteOptions{}))
	assertManagers(t, created, kube.DefaultFieldManager+" Update")
	_, err := cluster.Create(ctx, inNamespace(t, namespace, text), kube.WriteOptions{})
	if !kube.IsAlreadyExists(err) {
		t.Error(err)
	}
	_, err = cluster.Create(ctx, inNamespace(t, "no-such-namespace", text), kube.WriteOptions{})
	if !kube.IsNotFound(err) {
		t.Error(err)
	}
	assertErrorContains(t, err, `cannot create ConfigMap no-such-namespace/c: namespaces "no-such-namespace" does not exist`)
	if _, err = cluster.Create(ctx, parse(t, text), kube.WriteOptions{}); !kube.IsInvalid(err) {
		t.Errorf("without a namespace: %v", err)
	}
	odd := inNamespace(t, namespace, `{apiVersion: v1, kind: ConfigMap, metadata: {name: d}, dta: {a: "1"}}`)
	if _, err = cluster.Create(ctx, odd, kube.WriteOptions{Strict: true}); !kube.IsInvalid(err) {
		t.Errorf("unknown field: %v", err)
	}
	assertErrorContains(t, err, `unknown field "dta"`)
	created.Object["data"] = map[string]any{"a": "2"}
	updated := must[*unstructured.Unstructured](t)(cluster.Update(ctx, created, kube.WriteOptions{}))
	if field(updated, "data", "a") != "2" {
		t.Error("not updated")
	}
	if _, err = cluster.Update(ctx, created, kube.WriteOptions{}); !kube.IsConflict(err) {
		t.Errorf("an old version: %v", err)
	}
}

func TestStatusIsWritten(t *testing.T) {
	cluster, ctx := realCluster(t), withTimeout(t, time.Minute)
	namespace := newNamespace(t, cluster)
	created := must[*unstructured.Unstructured](t)(cluster.Create(ctx, inNamespace(t, namespace, `{apiVersion: v1, kind: ResourceQuota, metadata: {name: q}, spec: {hard: {pods: "1"}}}`), kube.WriteOptions{}))
	patched := must[*unstructured.Unstructured](t)(cluster.Patch(ctx, kube.RefOf(created), types.MergePatchType,
		[]byte(`{"status":{"hard":{"pods":"1"}}}`), kube.WriteOptions{Subresource: "status"}))
	if field(patched, "status", "hard", "pods") != "1" {
		t.Errorf("status %s", field(patched, "status"))
	}
}

func TestSecretsStaySecret(t *testing.T) {
	cluster, ctx := realCluster(t), withTimeout(t, time.Minute)
	namespace := newNamespace(t, cluster)
	for name, text := range map[string]string{
		"key":   `{apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {"a/b": hunter2}}`,
		"type":  `{apiVersion: v1, kind: Secret, metadata: {name: s}, type: kubernetes.io/dockerconfigjson, stringData: {".dockerconfigjson": hunter2}}`,
		"data":  `{apiVersion: v1, kind: Secret, metadata: {name: s}, data: {a: "hunter2!"}}`,
		"shape": `{apiVersion: v1, kind: Secret, metadata: {name: s}, data: hunter2}`,
		"field": `{apiVersion: v1, kind: Secret, metadata: {name: s}, hunter2: 1}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := cluster.Create(ctx, inNamespace(t, namespace, text), kube.WriteOptions{Strict: true})
			if !kube.IsInvalid(err) {
				t.Errorf("not classified: %v", err)
			}
			assertErrorContains(t, err, "Secret "+namespace+"/s", "withheld")
			if text := err.Error(); contains(text, "hunter2") {
				t.Error(text)
			}
		})
	}
}

func TestDelete(t *testing.T) {
	cluster, ctx := realCluster(t), withTimeout(t, time.Minute)
	namespace := newNamespace(t, cluster)
	create := func(text string) *unstructured.Unstructured {
		return must[*unstructured.Unstructured](t)(cluster.Create(ctx, inNamespace(t, namespace, text), kube.WriteOptions{}))
	}
	obj := create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}`)
	ref := kube.RefOf(obj)
	if err := cluster.Delete(ctx, ref, "", ""); !kube.IsInvalid(err) {
		t.Errorf("without a UID: %v", err)
	}
	if err := cluster.Delete(ctx, ref, "00000000-0000-0000-0000-000000000000", ""); !kube.IsConflict(err) {
		t.Errorf("another UID: %v", err)
	}
	if err := cluster.WaitGone(ctx, ref, "another"); err != nil {
		t.Errorf("an object with another UID is gone: %v", err)
	}
	if err := cluster.Delete(ctx, ref, obj.GetUID(), metav1.DeletePropagationBackground); err != nil {
		t.Error(err)
	}
	if err := cluster.WaitGone(ctx, ref, obj.GetUID()); err != nil {
		t.Error(err)
	}
	if err := cluster.Delete(ctx, ref, obj.GetUID(), ""); !kube.IsNotFound(err) {
		t.Errorf("absent: %v", err)
	}

	stuck := create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: stuck, finalizers: [example.com/hold]}}`)
	if err := cluster.Delete(ctx, kube.RefOf(stuck), stuck.GetUID(), ""); err != nil {
		t.Fatal(err)
	}
	err := cluster.WaitGone(withTimeout(t, 700*time.Millisecond), kube.RefOf(stuck), stuck.GetUID())
	assertErrorContains(t, err, "cannot wait for the removal of ConfigMap "+namespace+"/stuck: it still exists, terminating since", "example.com/hold")
	time.AfterFunc(300*time.Millisecond, func() {
		_, _ = cluster.Patch(ctx, kube.RefOf(stuck), types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), kube.WriteOptions{})
	})
	if err := cluster.WaitGone(ctx, kube.RefOf(stuck), stuck.GetUID()); err != nil {
		t.Error(err)
	}
}
