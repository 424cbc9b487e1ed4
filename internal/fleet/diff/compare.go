package diff

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// compare is the walk behind [Full], of two objects that are stripped and not equal.
func compare(known Schema, desired, live *unstructured.Unstructured, source, target map[string]any) []Difference {
	c := newComparison(desired)
	c.maps(typeOf(known, desired), source, target)
	return c.finish(desired, live)
}

// comparison walks two objects and notes what differs.
type comparison struct {
	kind schema.GroupKind
	// doubtful tells that something was let pass which a dry run may not; see [Partial].
	doubtful bool
	// path is where the walk is.
	path        []step
	differences []Difference
	// paths are those of the differences.
	paths [][]step
}

func newComparison(desired *unstructured.Unstructured) *comparison {
	return &comparison{kind: desired.GroupVersionKind().GroupKind(), path: make([]step, 0, 16)}
}

// finish names the writers and hides the secrets.
func (c *comparison) finish(desired, live *unstructured.Unstructured) []Difference {
	if len(c.differences) == 0 {
		return nil
	}
	writers := writersOf(live)
	hidden := secretsOf(desired, live)
	for i := range c.differences {
		d := &c.differences[i]
		if d.HasMember {
			d.Manager = writers.of(c.paths[i])
		}
		if d.HasHub && hidden.hides(d.Path, d.InHub) {
			d.InHub = Redacted
		}
		if d.HasMember && hidden.hides(d.Path, d.InMember) {
			d.InMember = Redacted
		}
	}
	return c.differences
}

// enter and leave move the walk.
func (c *comparison) enter(s step) { c.path = append(c.path, s) }
func (c *comparison) leave()       { c.path = c.path[:len(c.path)-1] }

func (c *comparison) note(hub any, hasHub bool, member any, hasMember bool) {
	c.differences = append(c.differences, Difference{
		Field: fieldText(c.path), Path: pointer(c.path), InHub: hub, HasHub: hasHub, InMember: member, HasMember: hasMember,
	})
	c.paths = append(c.paths, slices.Clone(c.path))
}

// noteAt notes a difference one step further.
func (c *comparison) noteAt(s step, hub any, hasHub bool, member any, hasMember bool) {
	c.enter(s)
	c.note(hub, hasHub, member, hasMember)
	c.leave()
}

func (c *comparison) maps(t Type, desired, live map[string]any) {
	for _, key := range unitedKeys(desired, live) {
		hub, hasHub := desired[key]
		member, hasMember := live[key]
		if hasHub && hasMember && equal(hub, member) {
			continue
		}
		c.enter(step{field: key})
		if hasHub && hasMember {
			c.values(fieldOf(t, key), hub, member)
		} else {
			c.note(hub, hasHub, member, hasMember)
		}
		c.leave()
	}
}

// values compares what both sides have and is not equal.
func (c *comparison) values(t Type, desired, live any) {
	switch desired := desired.(type) {
	case map[string]any:
		if live, ok := live.(map[string]any); ok {
			c.maps(t, desired, live)
			return
		}
	case []any:
		if live, ok := live.([]any); ok {
			c.lists(t, desired, live)
			return
		}
	}
	c.note(desired, true, live, true)
}

func (c *comparison) lists(t Type, desired, live []any) {
	if keys := mergeKeys(t, desired, live); keys != nil {
		c.keyedLists(t, desired, live, keys)
		return
	}
	common := min(len(desired), len(live))
	for i := range common {
		if !equal(desired[i], live[i]) {
			c.enter(step{inList: true, index: i, element: live[i]})
			c.values(elementOf(t), desired[i], live[i])
			c.leave()
		}
	}
	c.restOf(desired, live, common)
}

// restOf notes the elements of a list without keys that the other side has none for.
func (c *comparison) restOf(desired, live []any, common int) {
	for i := common; i < len(desired); i++ {
		c.noteAt(step{inList: true, index: i, element: desired[i]}, desired[i], true, nil, false)
	}
	for i := common; i < len(live); i++ {
		c.noteAt(step{inList: true, index: i, appended: true, element: live[i]}, nil, false, live[i], true)
	}
}

// keyedLists compares every element with the one of the same key. That the elements which both have come in another order is a difference
// of its own: KubeFleet goes by index and finds some.
func (c *comparison) keyedLists(t Type, desired, live []any, keys []MergeKey) {
	wanted := indexes(desired, keys)
	there := indexes(live, keys)
	c.order(desired, live, keys, wanted, there)
	for i, element := range live {
		s := step{inList: true, index: i, keys: keys, element: element}
		if j, both := wanted[keyOf(element, keys)]; both {
			if !equal(desired[j], element) {
				c.enter(s)
				c.values(elementOf(t), desired[j], element)
				c.leave()
			}
			continue
		}
		c.noteAt(s, nil, false, element, true)
	}
	c.missingElements(desired, len(live), keys, there)
}

// missingElements notes the elements that the member lacks, behind the end of its list, where they share no index with another one.
func (c *comparison) missingElements(desired []any, end int, keys []MergeKey, there map[string]int) {
	for _, element := range desired {
		if _, both := there[keyOf(element, keys)]; !both {
			c.noteAt(step{inList: true, index: end, keys: keys, element: element}, element, true, nil, false)
			end++
		}
	}
}

func (c *comparison) order(desired, live []any, keys []MergeKey, wanted, there map[string]int) {
	inHub, inMember := labelsOfCommon(desired, keys, there), labelsOfCommon(live, keys, wanted)
	if !equal(inHub, inMember) {
		c.note(inHub, true, inMember, true)
	}
}

// labelsOfCommon lists the keys of the elements that the other list has as well.
func labelsOfCommon(list []any, keys []MergeKey, other map[string]int) []any {
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

func indexes(list []any, keys []MergeKey) map[string]int {
	out := make(map[string]int, len(list))
	for i, element := range list {
		out[keyOf(element, keys)] = i
	}
	return out
}
