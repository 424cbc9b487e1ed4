package takeover

import (
	"encoding/base64"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ComparePartialLocal lists the fields of desired that the object on the member does not have, without the help of an API server: what
// KubeFleet's partial comparison would find, as far as it can be known without a dry run.
//
// Fields that only the member has do not count, unless they are in what a server-side apply replaces as a whole: a list without merge key,
// or the selector of a Service. Lists of the built-in kinds are matched by their merge key where they have one; elements that come in
// another order than desired are put in order by a server-side apply, which makes a Deployment roll out.
// Quantities are compared as an API server writes them, stringData with data, base64 by what it stands for. In built-in kinds a null asks for
// nothing, and neither does an empty or zero value that they drop when they are written, or an address or port that a Service leaves to the
// API server.
//
// Of custom resources no schema is known: their lists must be equal in length and, element by element, have what is desired, and all that
// is written counts.
func ComparePartialLocal(desired, live *unstructured.Unstructured) []Difference {
	differences, _ := ExaminePartialLocal(desired, live)
	return differences
}

// ExaminePartialLocal is [ComparePartialLocal], and tells whether it has let something pass that a dry run may not: a null over a value, an
// empty value that the member does not have, or one in what is replaced as a whole that may be a default or not. Of custom resources,
// whatever only the member has is in doubt, since the schema may have a list or a map replaced as a whole.
func ExaminePartialLocal(desired, live *unstructured.Unstructured) (differences []Difference, doubtful bool) {
	source, target := Strip(desired), Strip(live)
	if equal(source, target) {
		return nil, false
	}
	c := newComparison(desired)
	c.partialMaps(withData(c.kind, source), withData(c.kind, target), false)
	return c.finish(desired, live), c.doubtful
}

// Covers tells whether the object on the member has every field of desired, as [ComparePartialLocal] sees it.
func Covers(desired, live *unstructured.Unstructured) bool {
	return len(ComparePartialLocal(desired, live)) == 0
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
