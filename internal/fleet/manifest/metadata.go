package manifest

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ServerSetMetadata returns the fields of metadata that an API server sets. If a client sends them, the server ignores or rejects them, or treats
// them as preconditions. apimachinery's ObjectMeta documents most of them as "Populated by the system. Read-only".
func ServerSetMetadata() []string {
	return []string{
		"managedFields", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "resourceVersion", "selfLink",
		"uid",
	}
}

// WithoutServerSet returns a copy of an object without the fields in ServerSetMetadata. It also removes further fields of metadata, for
// objects that are sent to another cluster: for example, ownerReferences contain UIDs.
func WithoutServerSet(obj *unstructured.Unstructured, further ...string) *unstructured.Unstructured {
	out := obj.DeepCopy()
	for _, field := range append(ServerSetMetadata(), further...) {
		unstructured.RemoveNestedField(out.Object, "metadata", field)
	}
	return out
}

// OfMetadata returns an object that has only its kind and its metadata.
func OfMetadata(gvk schema.GroupVersionKind, metadata metav1.ObjectMeta) (*unstructured.Unstructured, error) {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&metadata)
	if err != nil {
		return nil, err
	}
	out := &unstructured.Unstructured{Object: map[string]any{"metadata": fields}}
	out.SetGroupVersionKind(gvk)
	return out, nil
}
