package diff

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// compare walks two objects for [Full]. Both are stripped and not equal.
func compare(known Schema, desired, live *unstructured.Unstructured, source, target map[string]any) []Difference {
	c := newComparison(desired)
	c.compareMaps(typeOf(known, desired), source, target)
	return c.finish(desired, live)
}

// comparison walks two objects and records their differences.
type comparison struct {
	kind schema.GroupKind
	// doubtful reports whether the walk ignored something that a dry run may not ignore; see [Partial].
	doubtful bool
	// path is the current position of the walk.
	path        []step
	differences []Difference
	// paths are those of differences, in the same order.
	paths [][]step
}

func newComparison(desired *unstructured.Unstructured) *comparison {
	return &comparison{kind: desired.GroupVersionKind().GroupKind(), path: make([]step, 0, 16)}
}

// finish sets the field managers of the differences and redacts Secrets.
func (c *comparison) finish(desired, live *unstructured.Unstructured) []Difference {
	if len(c.differences) == 0 {
		return nil
	}
	writers := parseWriters(live)
	hidden := secretsOf(desired, live)
	for i := range c.differences {
		d := &c.differences[i]
		if d.HasMember {
			d.Manager = writers.writerOf(c.paths[i])
		}
		if d.HasHub && hidden.isSecret(d.Path, d.InHub) {
			d.InHub = Redacted
		}
		if d.HasMember && hidden.isSecret(d.Path, d.InMember) {
			d.InMember = Redacted
		}
	}
	return c.differences
}

// enter and leave move the walk one step in or out.
func (c *comparison) enter(s step) { c.path = append(c.path, s) }
func (c *comparison) leave()       { c.path = c.path[:len(c.path)-1] }

func (c *comparison) note(hub any, hasHub bool, member any, hasMember bool) {
	c.differences = append(c.differences, Difference{
		Field: formatField(c.path), Path: formatPointer(c.path), InHub: hub, HasHub: hasHub, InMember: member, HasMember: hasMember,
	})
	c.paths = append(c.paths, slices.Clone(c.path))
}

// noteAt records a difference one step further.
func (c *comparison) noteAt(s step, hub any, hasHub bool, member any, hasMember bool) {
	c.enter(s)
	c.note(hub, hasHub, member, hasMember)
	c.leave()
}

func (c *comparison) compareMaps(t Type, desired, live map[string]any) {
	for _, key := range unionKeys(desired, live) {
		hub, hasHub := desired[key]
		member, hasMember := live[key]
		if hasHub && hasMember && equal(hub, member) {
			continue
		}
		c.enter(step{field: key})
		if hasHub && hasMember {
			c.compareValues(fieldOf(t, key), hub, member)
		} else {
			c.note(hub, hasHub, member, hasMember)
		}
		c.leave()
	}
}

// compareValues compares two values that are not equal.
func (c *comparison) compareValues(t Type, desired, live any) {
	switch desired := desired.(type) {
	case map[string]any:
		if live, ok := live.(map[string]any); ok {
			c.compareMaps(t, desired, live)
			return
		}
	case []any:
		if live, ok := live.([]any); ok {
			c.compareLists(t, desired, live)
			return
		}
	}
	c.note(desired, true, live, true)
}

func (c *comparison) compareLists(t Type, desired, live []any) {
	if keys := mergeKeys(t, desired, live); keys != nil {
		c.compareKeyedLists(t, desired, live, keys)
		return
	}
	common := min(len(desired), len(live))
	for i := range common {
		if !equal(desired[i], live[i]) {
			c.enter(step{inList: true, index: i, element: live[i]})
			c.compareValues(elementOf(t), desired[i], live[i])
			c.leave()
		}
	}
	c.noteUnpaired(desired, live, common)
}

// noteUnpaired records the elements of a list without keys that have no counterpart in the other list.
func (c *comparison) noteUnpaired(desired, live []any, common int) {
	for i := common; i < len(desired); i++ {
		c.noteAt(step{inList: true, index: i, element: desired[i]}, desired[i], true, nil, false)
	}
	for i := common; i < len(live); i++ {
		c.noteAt(step{inList: true, index: i, appended: true, element: live[i]}, nil, false, live[i], true)
	}
}

// compareKeyedLists compares each element with the one of the same key. A different order of the common elements is a difference too:
// KubeFleet compares by index and finds differences.
func (c *comparison) compareKeyedLists(t Type, desired, live []any, keys []MergeKey) {
	desiredIndexes := indexByKey(desired, keys)
	liveIndexes := indexByKey(live, keys)
	c.compareOrder(desired, live, keys, desiredIndexes, liveIndexes)
	for i, element := range live {
		s := step{inList: true, index: i, keys: keys, element: element}
		if j, both := desiredIndexes[keyOf(element, keys)]; both {
			if !equal(desired[j], element) {
				c.enter(s)
				c.compareValues(elementOf(t), desired[j], element)
				c.leave()
			}
			continue
		}
		c.noteAt(s, nil, false, element, true)
	}
	c.noteMissingElements(desired, len(live), keys, liveIndexes)
}

// noteMissingElements records the elements that the member lacks. Their indexes follow the end of its list, so each is unique.
func (c *comparison) noteMissingElements(desired []any, end int, keys []MergeKey, liveIndexes map[string]int) {
	for _, element := range desired {
		if _, both := liveIndexes[keyOf(element, keys)]; !both {
			c.noteAt(step{inList: true, index: end, keys: keys, element: element}, element, true, nil, false)
			end++
		}
	}
}

func (c *comparison) compareOrder(desired, live []any, keys []MergeKey, desiredIndexes, liveIndexes map[string]int) {
	inHub, inMember := commonKeys(desired, keys, liveIndexes), commonKeys(live, keys, desiredIndexes)
	if !equal(inHub, inMember) {
		c.note(inHub, true, inMember, true)
	}
}

// commonKeys lists the keys of the elements that the other list has too.
func commonKeys(list []any, keys []MergeKey, other map[string]int) []any {
	labels := make([]any, 0, len(list))
	for _, element := range list {
		if _, both := other[keyOf(element, keys)]; !both {
			continue
		}
		label := keyOf(element, keys)
		if len(keys) > 1 || isSet(keys) {
			label = elementLabel(element, keys)
		}
		labels = append(labels, label)
	}
	return labels
}

func indexByKey(list []any, keys []MergeKey) map[string]int {
	out := make(map[string]int, len(list))
	for i, element := range list {
		out[keyOf(element, keys)] = i
	}
	return out
}
