package diff

import (
	"encoding/json"
	"reflect"
)

// equal tells whether two JSON values are the same for KubeFleet, which compares the texts after decoding them: numbers as floats with 64
// bits, so that 1 equals 1.0 and whole numbers beyond 2^53 equal their neighbours; null, an absent field and the empty values are all
// different.
func equal(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for key, element := range a {
			other, there := b[key]
			if !there || !equal(element, other) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i, element := range a {
			if !equal(element, b[i]) {
				return false
			}
		}
		return true
	case string:
		b, ok := b.(string)
		return ok && a == b
	case bool:
		b, ok := b.(bool)
		return ok && a == b
	case nil:
		return b == nil
	}
	x, okX := number(a)
	y, okY := number(b)
	if okX || okY {
		return okX && okY && x == y
	}
	// Unstructured objects hold nothing else; what does not belong there is compared, and does no harm.
	return reflect.DeepEqual(a, b)
}

// number reads a JSON number. Objects that come from a text hold int64 and float64, ones that are built in Go may hold int.
func number(value any) (float64, bool) {
	switch value := value.(type) {
	case int64:
		return float64(value), true
	case float64:
		return value, true
	case int:
		return float64(value), true
	case int32:
		return float64(value), true
	case json.Number:
		decoded, err := value.Float64()
		return decoded, err == nil
	default:
		return 0, false
	}
}
