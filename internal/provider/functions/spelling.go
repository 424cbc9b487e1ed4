package functions

import (
	"regexp"
	"strings"
	"unicode"
)

// camelCase writes the keys of decoded JSON as KubeFleet's API does. The policy of a fleet_crp has them in snake_case, and null for what was left
// out, which goes. Keys of labels and resources are whatever they are; snake tells whether a field's key was in snake_case.
func camelCase(value any, free bool) (out any, snake bool) {
	switch value := value.(type) {
	case []any:
		out := make([]any, len(value))
		for i, element := range value {
			var found bool
			out[i], found = camelCase(element, false)
			snake = snake || found
		}
		return out, snake
	case map[string]any:
		out := map[string]any{}
		for key, element := range value {
			name := key
			if !free {
				name = camel(key)
				snake = snake || name != key
			}
			if element == nil {
				continue
			}
			converted, found := camelCase(element, freeKeys[name])
			out[name] = converted
			snake = snake || found
		}
		return out, snake
	default:
		return value, false
	}
}

// freeKeys are the fields whose values are maps by keys that users choose.
var freeKeys = map[string]bool{
	"matchLabels": true, "labels": true, "properties": true, "capacity": true, "allocatable": true, "available": true,
}

func camel(name string) string {
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

// inQuotes finds a field in an error of encoding/json.
var inQuotes = regexp.MustCompile(`"[A-Za-z]+"`)

// snakeCase writes the fields that an error quotes as the policy of a fleet_crp has them.
func snakeCase(text string) string {
	return inQuotes.ReplaceAllStringFunc(text, func(field string) string {
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
