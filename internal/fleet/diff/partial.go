package diff

import (
	"encoding/base64"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func walkPartially(known Schema, desired, live *unstructured.Unstructured) walk {
	source, target := Strip(desired), Strip(live)
	if equal(source, target) {
		return walk{}
	}
	w := newWalk(desired, live)
	w.partial = true
	w.compareMaps(typeOf(known, desired), mergeStringData(w.kind, source), mergeStringData(w.kind, target), false)
	return w
}

// mergeStringData moves a Secret's stringData to data, as the API server does. It changes the stripped map, not the Secret.
func mergeStringData(kind schema.GroupKind, stripped map[string]any) map[string]any {
	texts, ok := stripped["stringData"].(map[string]any)
	if !ok || kind != (schema.GroupKind{Kind: "Secret"}) {
		return stripped
	}
	data, _ := stripped["data"].(map[string]any)
	moved := make(map[string]any, len(data)+len(texts))
	maps.Copy(moved, data)
	for key, value := range texts {
		if text, ok := value.(string); ok {
			moved[key] = base64.StdEncoding.EncodeToString([]byte(text))
		}
	}
	delete(stripped, "stringData")
	stripped["data"] = moved
	return stripped
}

// isIgnored reports whether a partial comparison ignores the difference between two values, which are neither two maps nor two lists. It makes the result
// doubtful if a dry run may not ignore the difference.
func (w *walk) isIgnored(t Type, field string, desired, live any) bool {
	switch desired.(type) {
	case nil:
		if t != nil {
			w.doubtful = true // the result of a null depends on the field: no value, a default, or the current value
			return true
		}
	case map[string]any, []any:
	default:
		if isSameScalar(t, desired, live) || w.isAllocated(t, field, desired) {
			return true
		}
	}
	if live == nil && isDropped(t, desired) {
		w.doubtful = true
		return true
	}
	return false
}

// isEmpty reports whether the API server drops a value that only the desired object has. A value other than null makes the result doubtful.
func (w *walk) isEmpty(t Type, desired any) bool {
	if !isDropped(t, desired) {
		return false
	}
	w.doubtful = w.doubtful || desired != nil
	return true
}

// checkExtraKeys makes the result doubtful if only the member has a field and the type of the map is unknown. It skips metadata and the top-level fields of
// the object.
func (w *walk) checkExtraKeys(t Type, desired, live map[string]any) {
	if t != nil || w.doubtful || len(w.path) == 0 || w.path[0].field == "metadata" {
		return
	}
	for key := range live {
		if _, there := desired[key]; !there {
			w.doubtful = true
			return
		}
	}
}
