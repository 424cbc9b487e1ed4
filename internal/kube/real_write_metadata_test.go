package kube_test

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// TestReplaceLabel checks that a label is replaced only on the same object and while its value is unchanged. Other changes do not matter.
func TestReplaceLabel(t *testing.T) {
	cluster, ctx := realCluster(t), withTimeout(t, time.Minute)
	namespace := newNamespace(t, cluster)
	const text = "{apiVersion: v1, kind: ConfigMap, metadata: {name: c, labels: {example.org/set: web, team: a}}, immutable: true}"
	const label = "example.org/set"
	read := must[*unstructured.Unstructured](t)(cluster.Create(ctx, inNamespace(t, namespace, text), kube.WriteOptions{}))
	if err := cluster.RemoveMetadata(ctx, read, []string{"team"}, nil); err != nil {
		t.Fatal(err)
	}
	replaced, err := cluster.ReplaceLabel(ctx, read, label, "shop")
	if err != nil || len(replaced.GetLabels()) != 1 || replaced.GetLabels()[label] != "shop" || replaced.GetUID() != read.GetUID() {
		t.Fatalf("%v, %v", replaced, err)
	}
	if _, err := cluster.ReplaceLabel(ctx, read, label, "shop"); !kube.IsInvalid(err) {
		t.Errorf("another value: %v", err)
	}
	another := replaced.DeepCopy()
	another.SetUID("another")
	if _, err := cluster.ReplaceLabel(ctx, another, label, "web"); !kube.IsInvalid(err) {
		t.Errorf("another object: %v", err)
	}
	if err := cluster.Delete(ctx, kube.RefOf(read), read.GetUID(), ""); err != nil {
		t.Fatal(err)
	}
	if _, err := cluster.ReplaceLabel(ctx, replaced, label, "web"); !kube.IsNotFound(err) {
		t.Errorf("no object: %v", err)
	}
}
