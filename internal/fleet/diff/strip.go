package diff

import (
	"maps"
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

// Strip returns an object without what a comparison leaves out, by KubeFleet's rules for takeover, drift and the content hash alike:
// identity, what the API server sets, status, and labels and annotations whose key contains kubernetes.io/, k8s.io/ or
// kubernetes-fleet.io/ anywhere. The provider's own annotation is left out as well. Labels and annotations of a pod template stay.
//
// The object itself is not changed. The result shares its values, so it is for reading only.
func Strip(u *unstructured.Unstructured) map[string]any {
	object := make(map[string]any, len(u.Object)+1)
	maps.Copy(object, u.Object)
	delete(object, "status")
	object["metadata"] = strippedMetadataOf(u.Object["metadata"])
	for _, path := range strippedTemplates {
		if stripped, found := without(object, path); found {
			object = stripped
		}
	}
	return object
}

// nothing is the value of the emptied lists.
var nothing = []any{}

func strippedMetadataOf(value any) map[string]any {
	metadata, _ := value.(map[string]any)
	out := make(map[string]any, len(metadata)+len(emptiedMetadata))
	maps.Copy(out, metadata)
	for _, field := range strippedMetadata {
		delete(out, field)
	}
	for _, field := range emptiedMetadata {
		out[field] = nothing
	}
	out["annotations"] = comparedKeys(metadata["annotations"])
	out["labels"] = comparedKeys(metadata["labels"])
	return out
}

// without returns a map without a nested field. Only the maps on the way are copied.
func without(fields map[string]any, path []string) (map[string]any, bool) {
	value, found := fields[path[0]]
	if !found {
		return fields, false
	}
	if len(path) == 1 {
		out := maps.Clone(fields)
		delete(out, path[0])
		return out, true
	}
	inner, isMap := value.(map[string]any)
	if !isMap {
		return fields, false
	}
	stripped, found := without(inner, path[1:])
	if !found {
		return fields, false
	}
	out := maps.Clone(fields)
	out[path[0]] = stripped
	return out, true
}

// comparedKeys returns the labels or annotations that are compared, and an empty map rather than none, so that it makes no difference
// whether the field is there. A null is taken for an empty text, and a map with anything but texts in it for none, as KubeFleet reads them.
func comparedKeys(value any) map[string]any {
	entries, _ := value.(map[string]any)
	compared := make(map[string]any, len(entries))
	for key, entry := range entries {
		switch entry := entry.(type) {
		case string:
			if !ignoredKey(key) {
				compared[key] = entry
			}
		case nil:
			if !ignoredKey(key) {
				compared[key] = ""
			}
		default:
			return map[string]any{}
		}
	}
	return compared
}

func ignoredKey(key string) bool {
	return key == LastAppliedAnnotation || strings.Contains(key, "kubernetes.io/") || strings.Contains(key, "k8s.io/") ||
		strings.Contains(key, "kubernetes-fleet.io/")
}
