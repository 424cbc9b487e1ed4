package diff

import (
	"encoding/json"
	"reflect"
)

// equal reports whether two JSON values are equal for KubeFleet, which decodes and compares the JSON texts. Numbers are 64-bit floats, so 1
// equals 1.0, and integers beyond 2^53 can equal their neighbours. Null, an absent field and the empty values all differ.
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
	// Unstructured objects hold no other types; any other value is compared as well.
	return reflect.DeepEqual(a, b)
}

// number returns a number as float64, and false for any other value. Decoded objects contain int64 and float64; objects built in Go may contain int.
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
