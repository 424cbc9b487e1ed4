package diff

import (
	"encoding/base64"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// comparePartially walks two objects for [Partial].
func comparePartially(known Schema, desired, live *unstructured.Unstructured) (differences []Difference, doubtful bool) {
	source, target := Strip(desired), Strip(live)
	if equal(source, target) {
		return nil, false
	}
	c := newComparison(desired)
	c.comparePartialMaps(typeOf(known, desired), mergeStringData(c.kind, source), mergeStringData(c.kind, target), false)
	return c.finish(desired, live), c.doubtful
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

// comparePartialValues compares two values. Inside an atomic value, fields that only the member has count as well.
func (c *comparison) comparePartialValues(t Type, field string, desired, live any, atomic bool) {
	if equal(desired, live) {
		return
	}
	switch desired := desired.(type) {
	case nil:
		if t != nil {
			c.doubtful = true // the result of a null depends on the field: no value, a default, or the current value
			return
		}
	case map[string]any:
		if live, ok := live.(map[string]any); ok {
			c.comparePartialMaps(t, desired, live, atomic || t != nil && t.Atomic())
			return
		}
	case []any:
		if live, ok := live.([]any); ok {
			c.comparePartialLists(t, desired, live, atomic)
			return
		}
	default:
		if isSameScalar(t, desired, live) || c.isAllocated(t, field, desired) {
			return
		}
	}
	if live == nil && isDropped(t, desired) {
		c.doubtful = true
		return
	}
	c.note(desired, true, live, true)
}

// notePartialMissing records a field that the member does not have, unless its value is one that the API server drops.
func (c *comparison) notePartialMissing(t Type, desired any) {
	if !isDropped(t, desired) {
		c.note(desired, true, nil, false)
		return
	}
	c.doubtful = c.doubtful || desired != nil
}

func (c *comparison) comparePartialMaps(t Type, desired, live map[string]any, atomic bool) {
	keys := slices.Sorted(maps.Keys(desired))
	if atomic {
		keys = unionKeys(desired, live)
	}
	for _, key := range keys {
		hub, hasHub := desired[key]
		member, hasMember := live[key]
		c.enter(step{field: key})
		switch {
		case hasHub && hasMember:
			c.comparePartialValues(fieldOf(t, key), key, hub, member, atomic)
		case hasHub:
			c.notePartialMissing(fieldOf(t, key), hub)
		case c.isExtra(t, key, member):
			c.note(nil, false, member, true)
		}
		c.leave()
	}
	if t == nil && !atomic && c.isInContent() {
		c.doubtful = c.doubtful || hasExtraKeys(live, desired)
	}
}

// hasExtraKeys reports whether a map has keys that the other map does not have.
func hasExtraKeys(fields, other map[string]any) bool {
	for key := range fields {
		if _, there := other[key]; !there {
			return true
		}
	}
	return false
}

// isInContent reports whether the walk is inside a field of the object other than its metadata.
func (c *comparison) isInContent() bool { return len(c.path) > 0 && c.path[0].field != "metadata" }

// comparePartialLists compares two lists. Inside a value that is replaced as a whole, no list is merged.
func (c *comparison) comparePartialLists(t Type, desired, live []any, atomic bool) {
	if keys := mergeKeys(t, desired, live); keys != nil && !atomic {
		c.comparePartialKeyedLists(t, desired, live, keys)
		return
	}
	common := min(len(desired), len(live))
	for i := range common {
		c.enter(step{inList: true, index: i, element: live[i]})
		c.comparePartialElements(elementOf(t), desired[i], live[i], atomic || t != nil)
		c.leave()
	}
	c.noteUnpaired(desired, live, common)
}

// comparePartialElements compares two elements of a list that is not merged.
func (c *comparison) comparePartialElements(t Type, desired, live any, atomic bool) {
	if desired == nil && !equal(desired, live) {
		c.note(desired, true, live, true)
		return
	}
	c.comparePartialValues(t, "", desired, live, atomic)
}

// comparePartialKeyedLists compares each desired element with the one of the same key. Other elements on the member do not count.
func (c *comparison) comparePartialKeyedLists(t Type, desired, live []any, keys []MergeKey) {
	there := indexByKey(live, keys)
	c.compareOrder(desired, live, keys, indexByKey(desired, keys), there)
	for _, element := range desired {
		i, found := there[keyOf(element, keys)]
		if !found {
			continue
		}
		c.enter(step{inList: true, index: i, keys: keys, element: live[i]})
		c.comparePartialValues(elementOf(t), "", element, live[i], false)
		c.leave()
	}
	c.noteMissingElements(desired, len(live), keys, there)
}
