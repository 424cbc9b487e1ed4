package kube

import (
	"cmp"
	"encoding/json"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// maxAnnotationBytes is what all annotations of an object may have together, keys and values.
const maxAnnotationBytes = 256 << 10

// withLastApplied returns a copy of obj as it is sent: without what the server sets, and with itself as the annotation. When that would
// exceed the limit of annotations the annotation is empty: the next apply then goes by managedFields, or removes nothing.
func withLastApplied(obj *unstructured.Unstructured, annotation string) (*unstructured.Unstructured, error) {
	out := manifest.WithoutServerSet(obj)
	annotations := out.GetAnnotations()
	delete(annotations, annotation)
	setAnnotations(out, annotations)
	configuration, err := json.Marshal(out.Object)
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

// setAnnotations removes the field rather than leaving an empty one, which would differ from a manifest that has none.
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

// lastApplied returns what the annotation of live holds, nil if there is none or it is not the configuration of an object: somebody may
// have edited it, and then nothing is known of what was applied.
func lastApplied(live *unstructured.Unstructured, annotation string) []byte {
	value := []byte(live.GetAnnotations()[annotation])
	var configuration map[string]any
	if json.Unmarshal(value, &configuration) != nil || configuration == nil {
		return nil
	}
	return value
}

// LastApplied returns what ApplyClientSide applied last by the annotation of opts, nil without one.
func LastApplied(live *unstructured.Unstructured, opts ApplyOptions) *unstructured.Unstructured {
	out := &unstructured.Unstructured{}
	if out.UnmarshalJSON(lastApplied(live, cmp.Or(opts.LastAppliedAnnotation, DefaultLastAppliedAnnotation))) != nil {
		return nil
	}
	return out
}

// writtenConfiguration returns what the manager has written, by managedFields, as far as it is there still; nil if there is nothing. It has
// the defaults that the API server filled in as well when the object was created, and fills in anew when they are removed.
func writtenConfiguration(live *unstructured.Unstructured, manager string) []byte {
	applied, found := withOnly(live.Object, ownedFields(live, writtenBy(manager)))
	if !found {
		return nil
	}
	configuration, err := json.Marshal(applied)
	if err != nil {
		return nil
	}
	return configuration
}
