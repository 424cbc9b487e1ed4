package convert

import (
	"reflect"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane/codec"
)

// asWritten merges two specs as JSON, field by field; see merge. defaulted fills in a hub's defaults for the comparison. minimal removes defaults. asWritten
// uses it for the stored fields that the written spec does not have, and for lists of different lengths.
func asWritten[T any](stored, written T, defaulted, minimal func(T) T) (T, error) {
	var trees [5]map[string]any
	for i, spec := range []T{stored, minimal(stored), written, defaulted(stored), defaulted(written)} {
		var err error
		if trees[i], err = codec.Tree(spec); err != nil {
			return written, err
		}
	}
	if equal(trees[3], trees[4]) {
		return written, nil
	}
	merged := merge(present(trees[0]), present(trees[1]), present(trees[2]), trees[3], trees[4])
	content, _ := merged.value.(map[string]any)
	var out T
	return out, codec.Fill(&out, content)
}

type part struct {
	value any
	there bool
}

func present(value any) part { return part{value: value, there: true} }

func at(mapping map[string]any, key string) part {
	value, there := mapping[key]
	return part{value: value, there: there}
}

// merge merges a part of the stored spec and the same part of the written spec. minimal is the stored part without its defaults. storedFull and writtenFull are
// both parts with defaults. If these are equal, merge returns the written part. Otherwise it merges mappings and lists of the same length recursively. For any
// other list, and if there is no written part, it returns minimal. In all other cases it returns the stored part.
func merge(stored, minimal, written part, storedFull, writtenFull any) part {
	if equal(storedFull, writtenFull) {
		return written
	}
	mapping, isMap := storedFull.(map[string]any)
	other, isMapToo := writtenFull.(map[string]any)
	if isMap && isMapToo {
		return mergeMaps(stored, minimal, written, mapping, other)
	}
	list, isList := stored.value.([]any)
	was, isListToo := written.value.([]any)
	if isList && isListToo && len(list) == len(was) {
		return mergeLists(list, minimal, was, storedFull, writtenFull)
	}
	if isList || !written.there {
		return minimal
	}
	return stored
}

func mergeMaps(stored, minimal, written part, storedFull, writtenFull map[string]any) part {
	storedMap, _ := stored.value.(map[string]any)
	minimalMap, _ := minimal.value.(map[string]any)
	writtenMap, _ := written.value.(map[string]any)
	out := map[string]any{}
	for _, keys := range []map[string]any{storedMap, writtenMap} {
		for key := range keys {
			merged := merge(at(storedMap, key), at(minimalMap, key), at(writtenMap, key), storedFull[key], writtenFull[key])
			if merged.there {
				out[key] = merged.value
			}
		}
	}
	return part{value: out, there: len(out) > 0 || stored.there && written.there}
}

// mergeLists merges two lists of the same length, element by element. Defaults do not change the length of a list.
func mergeLists(stored []any, minimal part, written []any, storedFull, writtenFull any) part {
	minimalList, _ := minimal.value.([]any)
	fullList, _ := storedFull.([]any)
	otherList, _ := writtenFull.([]any)
	out := make([]any, len(stored))
	for i := range stored {
		out[i] = merge(present(stored[i]), present(minimalList[i]), present(written[i]), fullList[i], otherList[i]).value
	}
	return present(out)
}

// equal compares two values. An empty mapping, list or string, and false, are equal to an absent value, because the webhooks of a hub drop empty values.
func equal(a, b any) bool { return empty(a) && empty(b) || reflect.DeepEqual(a, b) }

func empty(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	case string:
		return v == ""
	case bool:
		return !v
	default:
		return false
	}
}
