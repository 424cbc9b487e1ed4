package takeover

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// LastAppliedAnnotation is where the provider keeps what it applied by client-side apply.
const LastAppliedAnnotation = "fleet.terraform.io/last-applied-configuration"

// strippedMetadata are the fields of metadata that a comparison leaves out: they name the object, or the API server sets them.
var strippedMetadata = []string{
	"name", "namespace", "generateName", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "resourceVersion", "selfLink",
	"uid", "creationTimestamp",
}

// emptiedMetadata are the lists in metadata that are taken for empty: others keep their own entries there.
var emptiedMetadata = []string{"finalizers", "managedFields", "ownerReferences"}

// strippedTemplates are pod templates, whose creationTimestamp serializers like to write.
var strippedTemplates = [][]string{
	{"spec", "template", "metadata", "creationTimestamp"},
	{"spec", "jobTemplate", "spec", "template", "metadata", "creationTimestamp"},
}

// Strip returns a copy of an object without what a comparison leaves out, by KubeFleet's rules for takeover, drift and the content hash
// alike: identity, what the API server sets, status, and labels and annotations whose key contains kubernetes.io/, k8s.io/ or
// kubernetes-fleet.io/ anywhere. The provider's own annotation is left out as well. Labels and annotations of a pod template stay.
func Strip(u *unstructured.Unstructured) map[string]any {
	object := u.DeepCopy().Object
	if object == nil {
		object = map[string]any{}
	}
	metadata, ok := object["metadata"].(map[string]any)
	if !ok {
		metadata = map[string]any{}
		object["metadata"] = metadata
	}
	for _, field := range strippedMetadata {
		delete(metadata, field)
	}
	for _, field := range emptiedMetadata {
		metadata[field] = []any{}
	}
	for _, field := range []string{"annotations", "labels"} {
		metadata[field] = comparedKeys(metadata[field])
	}
	delete(object, "status")
	for _, path := range strippedTemplates {
		unstructured.RemoveNestedField(object, path...)
	}
	return object
}

// comparedKeys returns the labels or annotations that are compared, and an empty map rather than none, so that it makes no difference
// whether the field is there.
func comparedKeys(value any) map[string]any {
	compared := map[string]any{}
	entries, _ := value.(map[string]any)
	for key, entry := range entries {
		if !ignoredKey(key) {
			compared[key] = entry
		}
	}
	return compared
}

func ignoredKey(key string) bool {
	return key == LastAppliedAnnotation || strings.Contains(key, "kubernetes.io/") || strings.Contains(key, "k8s.io/") ||
		strings.Contains(key, "kubernetes-fleet.io/")
}
