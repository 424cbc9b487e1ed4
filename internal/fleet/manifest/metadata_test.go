package manifest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestWithoutServerSet(t *testing.T) {
	metadata := map[string]any{"name": "a", "labels": map[string]any{"x": "y"}, "finalizers": []any{"f"}, "ownerReferences": []any{}}
	for _, field := range ServerSetMetadata() {
		metadata[field] = "set"
	}
	obj := &unstructured.Unstructured{Object: map[string]any{"metadata": metadata, "status": map[string]any{"uid": "kept"}}}
	before := obj.DeepCopy()
	want := map[string]any{
		"metadata": map[string]any{"name": "a", "labels": map[string]any{"x": "y"}, "finalizers": []any{"f"}, "ownerReferences": []any{}},
		"status":   map[string]any{"uid": "kept"},
	}
	if diff := cmp.Diff(want, WithoutServerSet(obj).Object); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, found := WithoutServerSet(obj, "ownerReferences").Object["metadata"].(map[string]any)["ownerReferences"]; found {
		t.Error("a further field was not removed")
	}
	if diff := cmp.Diff(before.Object, obj.Object); diff != "" {
		t.Errorf("the object itself was changed (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]any{"kind": "A"}, WithoutServerSet(&unstructured.Unstructured{Object: map[string]any{"kind": "A"}}).Object); diff != "" {
		t.Errorf("without metadata (-want +got):\n%s", diff)
	}
}
