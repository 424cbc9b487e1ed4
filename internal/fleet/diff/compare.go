package diff

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// walk visits two objects side by side and records how they differ: as differences for display, as patches in KubeFleet's form, or as both.
type walk struct {
	kind    schema.GroupKind
	secrets *secrets
	// partial selects the rules of [Partial].
	partial bool
	// doubtful reports whether the walk ignored something that a dry run may not ignore; see [Partial].
	doubtful bool
	// listing and patching select what is recorded. The walk visits lists with merge keys twice, because only patches compare them by index.
	listing, patching bool
	path              []step
	differences       []Difference
	// paths has the path of each difference, in the order of differences.
	paths   [][]step
	patches []placement.PatchDetail
}

func newWalk(desired, live *unstructured.Unstructured) walk {
	return walk{kind: desired.GroupVersionKind().GroupKind(), secrets: secretsOf(desired, live), listing: true}
}

func (w *walk) finish(live *unstructured.Unstructured) []Difference {
	if len(w.differences) == 0 {
		return nil
	}
	writers := parseWriters(live)
	for i := range w.differences {
		d := &w.differences[i]
		if d.HasMember {
			d.Manager = writers.writerOf(w.paths[i])
		}
		if d.HasHub && w.secrets.isSecret(d.Path, d.InHub) {
			d.InHub = Redacted
		}
		if d.HasMember && w.secrets.isSecret(d.Path, d.InMember) {
			d.InMember = Redacted
		}
	}
	return w.differences
}

func (w *walk) enter(s step) {
	if w.path == nil {
		w.path = make([]step, 0, 8)
	}
	w.path = append(w.path, s)
}
func (w *walk) leave() { w.path = w.path[:len(w.path)-1] }

func (w *walk) note(hub any, hasHub bool, member any, hasMember bool) {
	if !w.listing && !w.patching {
		return
	}
	pointer := formatPointer(w.path)
	if w.listing {
		w.differences = append(w.differences, Difference{
			Field: formatField(w.path), Path: pointer, InHub: hub, HasHub: hasHub, InMember: member, HasMember: hasMember,
		})
		w.paths = append(w.paths, slices.Clone(w.path))
	}
	if w.patching {
		w.addPatch(pointer, hub, hasHub, member, hasMember)
	}
}

func (w *walk) noteAt(s step, hub any, hasHub bool, member any, hasMember bool) {
	w.enter(s)
	w.note(hub, hasHub, member, hasMember)
	w.leave()
}

// compareMaps compares two maps or structures. In a partial comparison, a field that only the member has counts only inside an atomic value.
func (w *walk) compareMaps(t Type, desired, live map[string]any, atomic bool) {
	for _, key := range w.comparedKeys(desired, live, atomic) {
		if !w.listing && !w.patching {
			return // the patches are complete
		}
		hub, hasHub := desired[key]
		member, hasMember := live[key]
		if hasHub && hasMember && equal(hub, member) {
			continue
		}
		w.enter(step{field: key})
		switch {
		case hasHub && hasMember && w.partial && w.isSameResource(t, hub, member):
		case hasHub && hasMember:
			w.compareValues(fieldOf(t, key), key, hub, member, atomic)
		case !w.partial || hasHub && !w.isEmpty(fieldOf(t, key), hub) || hasMember && w.isExtra(t, key, member):
			w.note(hub, hasHub, member, hasMember)
		}
		w.leave()
	}
	if w.partial && !atomic {
		w.checkExtraKeys(t, desired, live)
	}
}

func (w *walk) comparedKeys(desired, live map[string]any, atomic bool) []string {
	if w.partial && !atomic {
		live = nil
	}
	return unionKeys(desired, live)
}

// compareValues compares two values that are not equal. field is the name of the field, or empty for an element of a list.
func (w *walk) compareValues(t Type, field string, desired, live any, atomic bool) {
	switch desired := desired.(type) {
	case map[string]any:
		if live, ok := live.(map[string]any); ok {
			w.compareMaps(t, desired, live, atomic || w.partial && t != nil && t.Atomic())
			return
		}
	case []any:
		if live, ok := live.([]any); ok {
			w.compareLists(t, desired, live, atomic)
			return
		}
	}
	if w.partial && w.isIgnored(t, field, desired, live) {
		return
	}
	w.note(desired, true, live, true)
}

// compareLists compares two lists by their merge keys, or by index if they have none. For patches, and inside an atomic value, it always compares by index. A
// server-side apply replaces a list without merge keys as a whole. If the type of this list is known, a partial comparison therefore treats the elements as
// atomic.
func (w *walk) compareLists(t Type, desired, live []any, atomic bool) {
	if !w.listing || atomic {
		w.compareIndexes(t, desired, live, atomic)
		return
	}
	keys := mergeKeys(t, desired, live)
	if keys == nil {
		w.compareIndexes(t, desired, live, w.partial && t != nil)
		return
	}
	patching := w.patching
	w.patching = false
	w.compareKeyedLists(t, desired, live, keys)
	if w.patching = patching; patching {
		w.listing = false
		w.compareIndexes(nil, desired, live, false)
		w.listing = true
	}
}

func (w *walk) compareIndexes(t Type, desired, live []any, atomic bool) {
	common := min(len(desired), len(live))
	w.patchMissing(desired, common)
	for i := range common {
		if equal(desired[i], live[i]) {
			continue
		}
		w.enter(step{inList: true, index: i, element: live[i]})
		if desired[i] == nil {
			w.note(nil, true, live[i], true)
		} else {
			w.compareValues(elementOf(t), "", desired[i], live[i], atomic)
		}
		w.leave()
	}
	if w.listing {
		patching := w.patching
		w.patching = false
		for i, element := range desired[common:] {
			w.noteAt(step{inList: true, index: common + i, element: element}, element, true, nil, false)
		}
		w.patching = patching
	}
	for i, element := range live[common:] {
		w.noteAt(step{inList: true, index: common + i, appended: true, element: element}, nil, false, element, true)
	}
}

// compareKeyedLists compares each element with the one of the same key. A different order of the common elements is a difference too, because KubeFleet
// compares by index. In a partial comparison, elements that only the member has do not count.
func (w *walk) compareKeyedLists(t Type, desired, live []any, keys []MergeKey) {
	desiredIndexes, liveIndexes := indexByKey(desired, keys), indexByKey(live, keys)
	w.compareOrder(desired, live, keys, desiredIndexes, liveIndexes)
	for i, element := range live {
		j, both := desiredIndexes[keyOf(element, keys)]
		if both && equal(desired[j], element) || !both && w.partial {
			continue
		}
		w.enter(step{inList: true, index: i, keys: keys, element: element})
		if both {
			w.compareValues(elementOf(t), "", desired[j], element, false)
		} else {
			w.note(nil, false, element, true)
		}
		w.leave()
	}
	w.noteMissingElements(desired, len(live), keys, liveIndexes)
}

// noteMissingElements records the elements that the member lacks. Their indexes begin after the end of the member's list, so that each index is
// unique.
func (w *walk) noteMissingElements(desired []any, end int, keys []MergeKey, liveIndexes map[string]int) {
	for _, element := range desired {
		if _, both := liveIndexes[keyOf(element, keys)]; !both {
			w.noteAt(step{inList: true, index: end, keys: keys, element: element}, element, true, nil, false)
			end++
		}
	}
}

func (w *walk) compareOrder(desired, live []any, keys []MergeKey, desiredIndexes, liveIndexes map[string]int) {
	inHub, inMember := commonKeys(desired, keys, liveIndexes), commonKeys(live, keys, desiredIndexes)
	if !equal(inHub, inMember) {
		w.note(inHub, true, inMember, true)
	}
}

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
