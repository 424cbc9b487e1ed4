package diff

import (
	"maps"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/kubefleetapi"
)

// LastAppliedAnnotation is the annotation in which the provider stores the last manifest it applied by client-side apply.
const LastAppliedAnnotation = "fleet.terraform.io/last-applied-configuration"

// strippedMetadata are the fields of metadata that a comparison ignores: they identify the object, or the API server sets them.
var strippedMetadata = []string{
	"name", "namespace", "generateName", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "resourceVersion", "selfLink",
	"uid", "creationTimestamp",
}

// emptiedMetadata are the lists in metadata that a comparison treats as empty: other clients keep their own entries there.
var emptiedMetadata = []string{"finalizers", "managedFields", "ownerReferences"}

// strippedTemplates are the fields of pod templates that a comparison ignores: serializers often write an empty creationTimestamp.
var strippedTemplates = [][]string{
	{"spec", "template", "metadata", "creationTimestamp"},
	{"spec", "jobTemplate", "spec", "template", "metadata", "creationTimestamp"},
}

// Strip returns an object without the fields that a comparison ignores. KubeFleet has the same rules for takeover, drift and the content hash:
// they remove the name and namespace, server-set fields, finalizers, owner references, the status, and labels and annotations whose key contains
// kubernetes.io/, k8s.io/ or kubernetes-fleet.io/ anywhere. Strip also removes the provider's own annotation. Labels and annotations of a pod template remain.
//
// The object itself is not changed. The result shares its values and is read-only.
func Strip(u *unstructured.Unstructured) map[string]any {
	object := make(map[string]any, len(u.Object)+1)
	maps.Copy(object, u.Object)
	delete(object, "status")
	object["metadata"] = stripMetadata(u.Object["metadata"])
	for _, path := range strippedTemplates {
		if stripped, found := removeField(object, path); found {
			object = stripped
		}
	}
	return object
}

var emptyList = []any{}

func stripMetadata(value any) map[string]any {
	metadata, _ := value.(map[string]any)
	out := make(map[string]any, len(metadata)+len(emptiedMetadata))
	maps.Copy(out, metadata)
	for _, field := range strippedMetadata {
		delete(out, field)
	}
	for _, field := range emptiedMetadata {
		out[field] = emptyList
	}
	out["annotations"] = filterKeys(metadata["annotations"])
	out["labels"] = filterKeys(metadata["labels"])
	return out
}

// removeField returns fields without the field at the path, and reports whether this field was found. It copies only the maps on the path.
func removeField(fields map[string]any, path []string) (map[string]any, bool) {
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
	stripped, found := removeField(inner, path[1:])
	if !found {
		return fields, false
	}
	out := maps.Clone(fields)
	out[path[0]] = stripped
	return out, true
}

// filterKeys returns the labels or annotations that are compared. The result is never nil, so an absent field equals an empty one. As in
// KubeFleet, a null is an empty text, and a map with any other value that is not a text counts as empty.
func filterKeys(value any) map[string]any {
	entries, _ := value.(map[string]any)
	compared := make(map[string]any, len(entries))
	for key, entry := range entries {
		switch entry := entry.(type) {
		case string:
			if !isIgnoredKey(key) {
				compared[key] = entry
			}
		case nil:
			if !isIgnoredKey(key) {
				compared[key] = ""
			}
		default:
			return map[string]any{}
		}
	}
	return compared
}

func isIgnoredKey(key string) bool {
	return key == LastAppliedAnnotation || strings.Contains(key, "kubernetes.io/") || strings.Contains(key, "k8s.io/") ||
		strings.Contains(key, kubefleetapi.Prefix)
}
