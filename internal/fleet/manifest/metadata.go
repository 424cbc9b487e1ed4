package manifest

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// ServerSetMetadata returns the fields of metadata that an API server sets, and either refuses or takes for preconditions when they are
// sent: "Populated by the system. Read-only.", as apimachinery's ObjectMeta has it for most of them.
func ServerSetMetadata() []string {
	return []string{
		"managedFields", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "resourceVersion", "selfLink",
		"uid",
	}
}

// WithoutServerSet returns a copy of an object without what ServerSetMetadata lists. Further fields of metadata are left out as well, for
// those who send an object to another cluster than the one that it came from: ownerReferences, for instance, name UIDs.
func WithoutServerSet(obj *unstructured.Unstructured, further ...string) *unstructured.Unstructured {
	out := obj.DeepCopy()
	for _, field := range append(ServerSetMetadata(), further...) {
		unstructured.RemoveNestedField(out.Object, "metadata", field)
	}
	return out
}
