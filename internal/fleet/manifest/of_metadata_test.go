package manifest

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestOfMetadata checks that the fields of field managers remain maps, which the domain reads.
func TestOfMetadata(t *testing.T) {
	t.Parallel()
	var metadata metav1.ObjectMeta
	metadata.Name = "web"
	metadata.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "me", FieldsV1: &metav1.FieldsV1{}}}
	if err := metadata.ManagedFields[0].FieldsV1.UnmarshalJSON([]byte(`{"f:data": {"f:a": {}}}`)); err != nil {
		t.Fatal(err)
	}
	got, err := OfMetadata(schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}, metadata)
	if err != nil || NewObject(got, nil).String() != "Deployment web" {
		t.Fatalf("%v, %v", got, err)
	}
	entries, _, _ := unstructured.NestedSlice(got.Object, "metadata", "managedFields")
	if _, found, err := unstructured.NestedMap(entries[0].(map[string]any), "fieldsV1", "f:data", "f:a"); !found || err != nil {
		t.Errorf("%v", entries)
	}
}
