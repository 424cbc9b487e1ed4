package diff

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// mergeKeys returns the keys that match the elements of lists of a type, or nil if there are none. It also returns nil if an element has a missing or duplicate
// key: a server-side apply of such a list fails.
func mergeKeys(t Type, lists ...[]any) []MergeKey {
	if !isForm(t, FormList) {
		return nil
	}
	keys := t.Keys()
	if keys == nil || slices.ContainsFunc(lists, func(list []any) bool { return !hasUniqueKeys(list, keys) }) {
		return nil
	}
	return keys
}

func hasUniqueKeys(list []any, keys []MergeKey) bool {
	seen := make(map[string]bool, len(list))
	for _, element := range list {
		key := keyOf(element, keys)
		if key == "" || seen[key] {
			return false
		}
		seen[key] = true
	}
	return true
}

func isSet(keys []MergeKey) bool { return len(keys) == 1 && keys[0].Field == "" }

// keyOf returns the key of an element as text, or "" if a key field is missing. If there are several key fields, a missing field has the value
// [MergeKey.Absent].
func keyOf(element any, keys []MergeKey) string {
	if isSet(keys) {
		text, ok := keyText(element)
		if !ok {
			return ""
		}
		return "=" + text
	}
	fields, ok := element.(map[string]any)
	if !ok {
		return ""
	}
	if len(keys) == 1 {
		text, _ := keyText(fields[keys[0].Field])
		return text
	}
	parts := make([]string, len(keys))
	for i, key := range keys {
		text, ok := keyText(fields[key.Field])
		if !ok {
			text = key.Absent
		}
		if text == "" {
			return ""
		}
		parts[i] = text
	}
	return strings.Join(parts, "\x00")
}

func keyText(value any) (string, bool) {
	switch value := value.(type) {
	case string:
		return value, true
	case int64:
		return strconv.FormatInt(value, 10), true
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64), true
	case int:
		return strconv.Itoa(value), true
	case json.Number:
		return value.String(), true
	default:
		return "", false
	}
}
