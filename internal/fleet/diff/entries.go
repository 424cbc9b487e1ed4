package diff

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const maxFields = 200

// Entry is an entry of metadata.managedFields: the fields that a manager has written.
type Entry struct {
	Manager
	// Time is the time of the manager's last write, in RFC 3339; empty if unknown.
	Time string
	// Fields are the paths of the fields for display, sorted, without their values. More is the number of fields that Fields leaves out.
	Fields []string
	More   int
}

// Entries returns the entries of an object's managedFields, in their order.
func Entries(live *unstructured.Unstructured) []Entry {
	var out []Entry
	for raw := range managedFields(live) {
		entry := Entry{Manager: managerOf(raw)}
		entry.Time, _ = raw["time"].(string)
		if fields, ok := raw["fieldsV1"].(map[string]any); ok {
			collected := map[string]bool{}
			collectFields(fields, nil, collected)
			entry.Fields = slices.Sorted(maps.Keys(collected))
		}
		if len(entry.Fields) > maxFields {
			entry.More = len(entry.Fields) - maxFields
			entry.Fields = entry.Fields[:maxFields]
		}
		out = append(out, entry)
	}
	return out
}

// WrittenAt returns the time of the last write of the manager that wrote a field, in RFC 3339, or "" if the managedFields do not show it.
func WrittenAt(live *unstructured.Unstructured, field ...string) string {
	path := make([]step, len(field))
	for i, name := range field {
		path[i] = step{field: name}
	}
	written := parseWriters(live)
	manager, latest := written.writerOf(path), ""
	for _, w := range written {
		if w.Manager == manager && findClaim(w.fields, path) != claimsNothing {
			latest = max(latest, w.time)
		}
	}
	return latest
}

// collectFields adds the paths of the innermost fields in fieldsV1; see [findClaim] for its format. For the elements of a set, it adds only the path of the
// list, because their own paths would contain their values.
func collectFields(fields map[string]any, path []step, into map[string]bool) {
	isInner := true
	for name, value := range fields {
		inner, _ := value.(map[string]any)
		next, ok := fieldStep(name)
		if !ok {
			continue
		}
		isInner = false
		collectFields(inner, append(slices.Clip(path), next), into)
	}
	if isInner && len(path) > 0 {
		into[formatField(path)] = true
	}
}

// fieldStep returns the step for a name in fieldsV1. ok is false for ".", for the element of a set, and for names of an unknown form.
func fieldStep(name string) (next step, ok bool) {
	kind, text, _ := strings.Cut(name, ":")
	switch kind {
	case "f":
		return step{field: text}, true
	case "k":
		var key map[string]any
		if json.Unmarshal([]byte(text), &key) != nil || len(key) == 0 {
			return step{}, false
		}
		next = step{inList: true, element: key}
		for _, field := range slices.Sorted(maps.Keys(key)) {
			next.keys = append(next.keys, MergeKey{Field: field})
		}
		return next, true
	case "i":
		index, err := strconv.Atoi(text)
		return step{inList: true, index: index}, err == nil
	}
	return step{}, false
}
