package diff

import (
	"encoding/base64"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// comparePartially is the walk behind [Partial].
func comparePartially(known Schema, desired, live *unstructured.Unstructured) (differences []Difference, doubtful bool) {
	source, target := Strip(desired), Strip(live)
	if equal(source, target) {
		return nil, false
	}
	c := newComparison(desired)
	c.partialMaps(typeOf(known, desired), withData(c.kind, source), withData(c.kind, target), false)
	return c.finish(desired, live), c.doubtful
}

// withData moves a Secret's stringData where the API server moves it. What was stripped is changed, the Secret is not.
func withData(kind schema.GroupKind, stripped map[string]any) map[string]any {
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

// partialValues compares what both sides have. Within what is atomic, what only the member has counts as well.
func (c *comparison) partialValues(t Type, field string, desired, live any, atomic bool) {
	if equal(desired, live) {
		return
	}
	switch desired := desired.(type) {
	case nil:
		if t != nil {
			c.doubtful = true // what a null leaves depends on the field: nothing, a default, or what is there
			return
		}
	case map[string]any:
		if live, ok := live.(map[string]any); ok {
			c.partialMaps(t, desired, live, atomic || t != nil && t.Atomic())
			return
		}
	case []any:
		if live, ok := live.([]any); ok {
			c.partialLists(t, desired, live, atomic)
			return
		}
	default:
		if sameScalar(t, desired, live) || c.isAllocated(t, field, desired) {
			return
		}
	}
	if live == nil && isNothing(t, desired) {
		c.doubtful = true
		return
	}
	c.note(desired, true, live, true)
}

// partialMissing notes a field that the member does not have, unless nothing is missing.
func (c *comparison) partialMissing(t Type, desired any) {
	if !isNothing(t, desired) {
		c.note(desired, true, nil, false)
		return
	}
	c.doubtful = c.doubtful || desired != nil
}

func (c *comparison) partialMaps(t Type, desired, live map[string]any, atomic bool) {
	keys := slices.Sorted(maps.Keys(desired))
	if atomic {
		keys = unitedKeys(desired, live)
	}
	for _, key := range keys {
		hub, hasHub := desired[key]
		member, hasMember := live[key]
		c.enter(step{field: key})
		switch {
		case hasHub && hasMember:
			c.partialValues(fieldOf(t, key), key, hub, member, atomic)
		case hasHub:
			c.partialMissing(fieldOf(t, key), hub)
		case c.isExtra(t, key, member):
			c.note(nil, false, member, true)
		}
		c.leave()
	}
	if t == nil && !atomic && c.inContent() {
		c.doubtful = c.doubtful || hasMore(live, desired)
	}
}

// hasMore tells whether a map has keys that another one does not have.
func hasMore(fields, other map[string]any) bool {
	for key := range fields {
		if _, there := other[key]; !there {
			return true
		}
	}
	return false
}

// inContent tells whether the walk is within a field of the object other than its metadata.
func (c *comparison) inContent() bool { return len(c.path) > 0 && c.path[0].field != "metadata" }

// partialLists compares two lists. Within what is replaced as a whole, no list is merged.
func (c *comparison) partialLists(t Type, desired, live []any, atomic bool) {
	if keys := mergeKeys(t, desired, live); keys != nil && !atomic {
		c.partialKeyed(t, desired, live, keys)
		return
	}
	common := min(len(desired), len(live))
	for i := range common {
		c.enter(step{inList: true, index: i, element: live[i]})
		c.partialElements(elementOf(t), desired[i], live[i], atomic || t != nil)
		c.leave()
	}
	c.restOf(desired, live, common)
}

// partialElements compares two elements of a list that is not merged.
func (c *comparison) partialElements(t Type, desired, live any, atomic bool) {
	if desired == nil && !equal(desired, live) {
		c.note(desired, true, live, true)
		return
	}
	c.partialValues(t, "", desired, live, atomic)
}

// partialKeyed compares every desired element with the one of the same key; others on the member do not count.
func (c *comparison) partialKeyed(t Type, desired, live []any, keys []MergeKey) {
	there := indexes(live, keys)
	c.order(desired, live, keys, indexes(desired, keys), there)
	for _, element := range desired {
		i, found := there[keyOf(element, keys)]
		if !found {
			continue
		}
		c.enter(step{inList: true, index: i, keys: keys, element: live[i]})
		c.partialValues(elementOf(t), "", element, live[i], false)
		c.leave()
	}
	c.missingElements(desired, len(live), keys, there)
}
