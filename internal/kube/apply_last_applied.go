package kube

import (
	"cmp"
	"encoding/json"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// maxAnnotationBytes is the API server's limit for all annotations of an object, keys and values together.
const maxAnnotationBytes = 256 << 10

// hiddenValue replaces each value of a Secret in DefaultLastAppliedAnnotation. A merge only needs the keys.
const hiddenValue = "(hidden)"

// withLastApplied returns a copy of obj without the fields that the server sets, and with the JSON of this copy in the annotation. In
// DefaultLastAppliedAnnotation, the values of a Secret are hidden, because kubectl describe prints annotations. The annotation of another program contains
// the values, because that program also stores them. If all annotations together exceed maxAnnotationBytes, the value of the annotation is empty.
func withLastApplied(obj *unstructured.Unstructured, annotation string) (*unstructured.Unstructured, error) {
	out := manifest.WithoutServerSet(obj)
	annotations := out.GetAnnotations()
	delete(annotations, annotation)
	setAnnotations(out, annotations)
	applied := out.Object
	if isSecret(out.GroupVersionKind()) && annotation == DefaultLastAppliedAnnotation {
		applied = withoutValues(applied)
	}
	configuration, err := json.Marshal(applied)
	if err != nil {
		return nil, err
	}
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[annotation] = string(configuration)
	if annotationBytes(annotations) > maxAnnotationBytes {
		annotations[annotation] = ""
	}
	out.SetAnnotations(annotations)
	return out, nil
}

func withoutValues(secret map[string]any) map[string]any {
	out := maps.Clone(secret)
	for _, field := range []string{"data", "stringData"} {
		values, isMap := secret[field].(map[string]any)
		if !isMap {
			delete(out, field) // if present, it is not a map, and the API server rejects the Secret
			continue
		}
		hidden := make(map[string]any, len(values))
		for key := range values {
			hidden[key] = hiddenValue
		}
		out[field] = hidden
	}
	return out
}

// setAnnotations removes the field if there are no annotations, because an empty field would differ from a manifest without the field.
func setAnnotations(obj *unstructured.Unstructured, annotations map[string]string) {
	if len(annotations) == 0 {
		unstructured.RemoveNestedField(obj.Object, "metadata", "annotations")
		return
	}
	obj.SetAnnotations(annotations)
}

func annotationBytes(annotations map[string]string) int {
	total := 0
	for key, value := range annotations {
		total += len(key) + len(value)
	}
	return total
}

// lastApplied returns the value of the annotation. It returns nil if there is no annotation, or if the value is not a JSON object, for example because it
// was edited manually.
func lastApplied(live *unstructured.Unstructured, annotation string) []byte {
	value := []byte(live.GetAnnotations()[annotation])
	var configuration map[string]any
	if json.Unmarshal(value, &configuration) != nil || configuration == nil {
		return nil
	}
	return value
}

// LastApplied returns the configuration in live's last applied annotation, or nil if there is no valid one.
func LastApplied(live *unstructured.Unstructured, opts ApplyOptions) *unstructured.Unstructured {
	out := &unstructured.Unstructured{}
	// Unstructured.UnmarshalJSON would reject a configuration without a kind, but a merge accepts it. Like Unstructured.UnmarshalJSON, utiljson.Unmarshal
	// returns integers as int64.
	if utiljson.Unmarshal(lastApplied(live, cmp.Or(opts.LastAppliedAnnotation, DefaultLastAppliedAnnotation)), &out.Object) != nil {
		return nil
	}
	return out
}

// writtenConfiguration returns, as JSON, the fields of live that the manager owns according to managedFields, or nil if it owns none. These fields include
// defaults that the API server set when the manager created the object. If an apply removes a default, the API server sets it again. If the manager owns a
// map as a whole, keys that others have added to the map are not included.
func writtenConfiguration(live *unstructured.Unstructured, manager string) []byte {
	isOwn := writtenBy(manager)
	own := ownedFields(live, isOwn)
	applied, found := selectFields(live.Object, own)
	if !found {
		return nil
	}
	others := ownedFields(live, func(entry metav1.ManagedFieldsEntry) bool { return !isOwn(entry) })
	applied = removeFields(applied, others.Difference(own), own)
	configuration, err := json.Marshal(applied)
	if err != nil {
		return nil
	}
	return configuration
}
