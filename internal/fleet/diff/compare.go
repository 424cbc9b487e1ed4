package diff

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// compare is the walk behind [Full].
func compare(desired, live *unstructured.Unstructured) []Difference {
	source, target := Strip(desired), Strip(live)
	if equal(source, target) {
		return nil
	}
	c := newComparison(desired)
	c.maps(source, target)
	return c.finish(desired, live)
}

// comparison walks two objects and notes what differs.
type comparison struct {
	kind    schema.GroupKind
	version string
	// builtIn tells the kinds of which Kubernetes' own types are known; the schema of others is not.
	builtIn bool
	// doubtful tells that something was let pass which a dry run may not; see [Partial].
	doubtful bool
	// path is where the walk is.
	path        []step
	differences []Difference
	// paths are those of the differences.
	paths [][]step
}

func newComparison(desired *unstructured.Unstructured) *comparison {
	gvk := desired.GroupVersionKind()
	kind := gvk.GroupKind()
	return &comparison{kind: kind, version: gvk.Version, builtIn: isBuiltIn(kind.Group), path: make([]step, 0, 16)}
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

func (c *comparison) maps(desired, live map[string]any) {
	for _, key := range unitedKeys(desired, live) {
		hub, hasHub := desired[key]
		member, hasMember := live[key]
		c.enter(step{field: key})
		if hasHub && hasMember {
			c.values(hub, member)
		} else {
			c.note(hub, hasHub, member, hasMember)
		}
		c.leave()
	}
}

func (c *comparison) values(desired, live any) {
	if equal(desired, live) {
		return
	}
	switch desired := desired.(type) {
	case map[string]any:
		if live, ok := live.(map[string]any); ok {
			c.maps(desired, live)
			return
		}
	case []any:
		if live, ok := live.([]any); ok {
			c.lists(desired, live)
			return
		}
	}
	c.note(desired, true, live, true)
}

func (c *comparison) lists(desired, live []any) {
	if keys := c.mergeKeys(desired, live); keys != nil {
		c.keyedLists(desired, live, keys)
		return
	}
	common := min(len(desired), len(live))
	for i := range common {
		c.enter(step{inList: true, index: i, element: live[i]})
		c.values(desired[i], live[i])
		c.leave()
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
func (c *comparison) keyedLists(desired, live []any, keys []mergeKey) {
	wanted := indexes(desired, keys)
	there := indexes(live, keys)
	c.order(desired, live, keys, wanted, there)
	for i, element := range live {
		s := step{inList: true, index: i, keys: keys, element: element}
		if j, both := wanted[keyOf(element, keys)]; both {
			c.enter(s)
			c.values(desired[j], element)
			c.leave()
			continue
		}
		c.noteAt(s, nil, false, element, true)
	}
	c.missingElements(desired, len(live), keys, there)
}

// missingElements notes the elements that the member lacks, behind the end of its list, where they share no index with another one.
func (c *comparison) missingElements(desired []any, end int, keys []mergeKey, there map[string]int) {
	for _, element := range desired {
		if _, both := there[keyOf(element, keys)]; !both {
			c.noteAt(step{inList: true, index: end, keys: keys, element: element}, element, true, nil, false)
			end++
		}
	}
}

func (c *comparison) order(desired, live []any, keys []mergeKey, wanted, there map[string]int) {
	inHub, inMember := labelsOfCommon(desired, keys, there), labelsOfCommon(live, keys, wanted)
	if !equal(inHub, inMember) {
		c.note(inHub, true, inMember, true)
	}
}

// labelsOfCommon lists the keys of the elements that the other list has as well.
func labelsOfCommon(list []any, keys []mergeKey, other map[string]int) []any {
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

func indexes(list []any, keys []mergeKey) map[string]int {
	out := make(map[string]int, len(list))
	for i, element := range list {
		out[keyOf(element, keys)] = i
	}
	return out
}
