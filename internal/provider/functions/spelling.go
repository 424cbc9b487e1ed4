package functions

import (
	"regexp"
	"strings"
	"unicode"
)

// toCamelCaseKeys converts the keys of decoded JSON to the spelling of KubeFleet's API, and removes null values. The policy of a fleet_crp has keys in
// snake_case, and null for omitted values. Keys of labels and resources remain unchanged. If keepKeys is true, the keys of value itself also remain unchanged.
// isSnakeCase reports whether the key of a field was in snake_case.
func toCamelCaseKeys(value any, keepKeys bool) (out any, isSnakeCase bool) {
	switch value := value.(type) {
	case []any:
		out := make([]any, len(value))
		for i, element := range value {
			var found bool
			out[i], found = toCamelCaseKeys(element, false)
			isSnakeCase = isSnakeCase || found
		}
		return out, isSnakeCase
	case map[string]any:
		out := map[string]any{}
		for key, element := range value {
			name := key
			if !keepKeys {
				name = toCamelCase(key)
				isSnakeCase = isSnakeCase || name != key
			}
			if element == nil {
				continue
			}
			converted, found := toCamelCaseKeys(element, freeKeys[name])
			out[name] = converted
			isSnakeCase = isSnakeCase || found
		}
		return out, isSnakeCase
	default:
		return value, false
	}
}

// freeKeys are fields with maps whose keys users choose.
var freeKeys = map[string]bool{
	"matchLabels": true, "labels": true, "properties": true, "capacity": true, "allocatable": true, "available": true,
}

func toCamelCase(name string) string {
	var b strings.Builder
	upper := false
	for _, r := range name {
		switch {
		case r == '_':
			upper = true
		case upper:
			b.WriteRune(unicode.ToUpper(r))
			upper = false
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

var quotedField = regexp.MustCompile(`"[A-Za-z]+"`)

// toSnakeCaseNames converts the fields that an error quotes to the spelling of a fleet_crp's policy.
func toSnakeCaseNames(text string) string {
	return quotedField.ReplaceAllStringFunc(text, func(field string) string {
		var b strings.Builder
		for _, r := range field {
			if unicode.IsUpper(r) {
				b.WriteRune('_')
			}
			b.WriteRune(unicode.ToLower(r))
		}
		return b.String()
	})
}
