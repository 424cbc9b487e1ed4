package manifest

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// ServerSetMetadata returns the fields of metadata that an API server sets. If a client sends them, the server rejects them or treats them as
// preconditions. apimachinery's ObjectMeta documents most of them as "Populated by the system. Read-only".
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
