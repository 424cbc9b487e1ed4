package diff

import (
	"encoding/base64"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// comparePartially is the walk behind [Partial].
func comparePartially(desired, live *unstructured.Unstructured) (differences []Difference, doubtful bool) {
	source, target := Strip(desired), Strip(live)
	if equal(source, target) {
		return nil, false
	}
	c := newComparison(desired)
	c.partialMaps(withData(c.kind, source), withData(c.kind, target), false)
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
func (c *comparison) partialValues(field string, desired, live any, atomic bool) {
	if equal(desired, live) {
		return
	}
	switch desired := desired.(type) {
	case nil:
		if c.builtIn {
			c.doubtful = true // what a null leaves depends on the field: nothing, a default, or what is there
			return
		}
	case map[string]any:
		if live, ok := live.(map[string]any); ok {
			c.partialMaps(desired, live, atomic || c.isAtomic(field))
			return
		}
	case []any:
		if live, ok := live.([]any); ok {
			c.partialLists(desired, live, atomic)
			return
		}
	default:
		if c.sameQuantity(desired, live) || c.sameBytes(desired, live) || c.isAllocated(field, desired) {
			return
		}
	}
	if live == nil && c.asksForNothing(field, desired) {
		c.doubtful = true
		return
	}
	c.note(desired, true, live, true)
}

// partialMissing notes a field that the member does not have, unless nothing is missing.
func (c *comparison) partialMissing(field string, desired any) {
	if !c.asksForNothing(field, desired) {
		c.note(desired, true, nil, false)
		return
	}
	c.doubtful = c.doubtful || desired != nil
}

func (c *comparison) partialMaps(desired, live map[string]any, atomic bool) {
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
			c.partialValues(key, hub, member, atomic)
		case hasHub:
			c.partialMissing(key, hub)
		case c.isExtra(key, member):
			c.note(nil, false, member, true)
		}
		c.leave()
	}
	if !c.builtIn && c.inContent() {
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
func (c *comparison) partialLists(desired, live []any, atomic bool) {
	if keys := c.mergeKeys(desired, live); keys != nil && !atomic {
		c.partialKeyed(desired, live, keys)
		return
	}
	common := min(len(desired), len(live))
	for i := range common {
		c.enter(step{inList: true, index: i, element: live[i]})
		c.partialElements(desired[i], live[i])
		c.leave()
	}
	c.restOf(desired, live, common)
}

// partialElements compares two elements of a list that is replaced as a whole.
func (c *comparison) partialElements(desired, live any) {
	if desired == nil && live != nil {
		c.note(nil, true, live, true)
		return
	}
	c.partialValues("", desired, live, c.builtIn)
}

// partialKeyed compares every desired element with the one of the same key; others on the member do not count.
func (c *comparison) partialKeyed(desired, live []any, keys []mergeKey) {
	there := indexes(live, keys)
	c.order(desired, live, keys, indexes(desired, keys), there)
	for _, element := range desired {
		i, found := there[keyOf(element, keys)]
		if !found {
			continue
		}
		c.enter(step{inList: true, index: i, keys: keys, element: live[i]})
		c.partialValues("", element, live[i], false)
		c.leave()
	}
	c.missingElements(desired, len(live), keys, there)
}
