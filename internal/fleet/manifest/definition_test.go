package manifest

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestKindsDefinedBy checks that each version of a definition is a kind, and that other objects and invalid texts define none.
func TestKindsDefinedBy(t *testing.T) {
	t.Parallel()
	got := KindsDefinedBy(map[string]string{
		"a.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n---\n" +
			"{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: widgets.example.com}, spec: {group: example.com, " +
			"names: {kind: Widget}, versions: [{name: v1}, {name: v2}, {}]}}",
		"b.yaml": "[",
		"c.yaml": "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: empty}}",
	})
	want := []schema.GroupVersionKind{{Group: "example.com", Version: "v1", Kind: "Widget"}, {Group: "example.com", Version: "v2", Kind: "Widget"}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}
