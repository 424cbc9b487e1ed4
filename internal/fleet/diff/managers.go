package diff

import (
	"encoding/json"
	"iter"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Manager is a field manager.
type Manager struct {
	Name string
	// Operation is Apply or Update.
	Operation string
	// Subresource is the one that was written through, such as scale or status; empty for the object itself.
	Subresource string
}

const scale = "scale"

// String is what users read; nothing for a manager that is not known.
func (m Manager) String() string {
	switch {
	case m.Name == "":
		return ""
	case m.Subresource == "":
		return m.Name
	case m.Subresource != scale:
		return m.Name + " through the subresource " + m.Subresource
	case m.byHand():
		return m.Name + " through the subresource scale (kubectl scale)"
	default:
		return m.Name + " through the subresource scale (an autoscaler)"
	}
}

func (m Manager) byHand() bool { return strings.HasPrefix(m.Name, "kubectl") }

// autoscalers are the field managers of the well-known ones that write to the object itself. HorizontalPodAutoscalers write through the
// subresource scale, as kube-controller-manager, and KEDA makes such or does the same.
var autoscalers = []string{
	"vpa-recommender", "vpa-updater", "vpa-admission-controller", "keda-operator", "horizontal-pod-autoscaler", "cluster-proportional-autoscaler",
	"cluster-proportional-vertical-autoscaler", "pod_nanny", "addon-resizer",
}

// Autoscales tells whether the manager is an autoscaler. Whatever writes through the subresource scale counts as one, except people with kubectl.
func (m Manager) Autoscales() bool {
	return m.Subresource == scale && !m.byHand() || slices.Contains(autoscalers, m.Name)
}

// Autoscaled tells whether an autoscaler wrote the member's value: applying another one starts a tug of war.
func (d Difference) Autoscaled() bool { return d.Manager.Autoscales() }

// WriterOf is who wrote a field of an object, by its managedFields: nobody if they do not tell.
func WriterOf(live *unstructured.Unstructured, field ...string) Manager {
	path := make([]step, len(field))
	for i, name := range field {
		path[i] = step{field: name}
	}
	return writersOf(live).of(path)
}

// writers are an object's managedFields.
type writers []writer

type writer struct {
	Manager
	time   string
	fields map[string]any
}

// writersOf reads metadata.managedFields. An entry that cannot be read tells nothing.
func writersOf(live *unstructured.Unstructured) writers {
	var out writers
	for entry := range managedFields(live) {
		fields, ok := entry["fieldsV1"].(map[string]any)
		if !ok {
			continue
		}
		written, _ := entry["time"].(string)
		out = append(out, writer{Manager: managerOf(entry), time: written, fields: fields})
	}
	return out
}

// Managers are those who have written to an object, by its managedFields, in their order. One may come more than once.
func Managers(live *unstructured.Unstructured) iter.Seq[Manager] {
	return func(yield func(Manager) bool) {
		for entry := range managedFields(live) {
			if !yield(managerOf(entry)) {
				return
			}
		}
	}
}

// managedFields are the entries of metadata.managedFields as they are. Decoding them takes longer than all the rest of a decision.
func managedFields(live *unstructured.Unstructured) iter.Seq[map[string]any] {
	metadata, _ := live.Object["metadata"].(map[string]any)
	entries, _ := metadata["managedFields"].([]any)
	return func(yield func(map[string]any) bool) {
		for _, entry := range entries {
			if content, ok := entry.(map[string]any); ok && !yield(content) {
				return
			}
		}
	}
}

func managerOf(entry map[string]any) Manager {
	text := func(field string) string { value, _ := entry[field].(string); return value }
	return Manager{Name: text("manager"), Operation: text("operation"), Subresource: text("subresource")}
}

// of returns who wrote what is at a path of the object. Of several, it is the one that has the field itself rather than something in it;
// then one that scales, since its value is meant to change; then one that applies, since it insists; then the latest.
func (w writers) of(path []step) Manager {
	var best *writer
	var bestClaim claim
	for i := range w {
		candidate := &w[i]
		found := claimOn(candidate.fields, path)
		if found == claimsNothing {
			continue
		}
		if best == nil || found > bestClaim || found == bestClaim && candidate.precedes(best) {
			best, bestClaim = candidate, found
		}
	}
	if best == nil {
		return Manager{}
	}
	return best.Manager
}

func (w *writer) precedes(other *writer) bool {
	if a, b := w.Subresource == scale, other.Subresource == scale; a != b {
		return a
	}
	if a, b := w.Operation == "Apply", other.Operation == "Apply"; a != b {
		return a
	}
	return w.time > other.time // RFC 3339, in UTC
}

// claim is what a set of fields says of a path.
type claim int

const (
	claimsNothing claim = iota
	// claimsPart is one on something within.
	claimsPart
	// claimsField is one on the field itself, or on something around it that is written as a whole.
	claimsField
)

// claimOn looks a path up in fieldsV1: nested maps, in which f: stands before the name of a field, k: before the merge key of an element,
// v: before the value of one in a set and i: before an index. An empty map is a field that is owned with all that is in it, and "." marks
// one that is owned apart from what is in it.
func claimOn(fields map[string]any, path []step) claim {
	for _, s := range path {
		inner := innerFields(fields, s)
		if inner == nil {
			return claimsNothing
		}
		if len(inner) == 0 {
			return claimsField
		}
		fields = inner
	}
	if _, itself := fields["."]; itself {
		return claimsField
	}
	return claimsPart
}

// innerFields follows one step; nil if the set does not have it.
func innerFields(fields map[string]any, s step) map[string]any {
	if !s.inList {
		inner, _ := fields["f:"+s.field].(map[string]any)
		return inner
	}
	for name, value := range fields {
		inner, ok := value.(map[string]any)
		if ok && isElement(name, s) {
			return inner
		}
	}
	return nil
}

// isElement tells whether a name in fieldsV1 is that of an element.
func isElement(name string, s step) bool {
	kind, text, found := strings.Cut(name, ":")
	if !found {
		return false
	}
	switch kind {
	case "i":
		return text == strconv.Itoa(s.index)
	case "v":
		var value any
		return json.Unmarshal([]byte(text), &value) == nil && equal(value, s.element)
	case "k":
		var key map[string]any
		element, isMap := s.element.(map[string]any)
		if !isMap || json.Unmarshal([]byte(text), &key) != nil || len(key) == 0 {
			return false
		}
		for field, value := range key {
			there, has := element[field]
			if !has {
				there = absentValue(field, s.keys)
			}
			if !equal(value, there) {
				return false
			}
		}
		return true
	default:
		return false
	}
}

// absentValue is what a key field means when it is left out.
func absentValue(field string, keys []MergeKey) any {
	for _, key := range keys {
		if key.Field == field && key.Absent != "" {
			return key.Absent
		}
	}
	return nil
}
