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
	// Subresource is the subresource of the write, such as scale or status; empty for the object itself.
	Subresource string
}

const scale = "scale"

// String returns the text for users, or "" for an unknown manager.
func (m Manager) String() string {
	switch {
	case m.Name == "":
		return ""
	case m.Subresource == "":
		return m.Name
	case m.Subresource != scale:
		return m.Name + " through the subresource " + m.Subresource
	case m.isKubectl():
		return m.Name + " through the subresource scale (kubectl scale)"
	default:
		return m.Name + " through the subresource scale (an autoscaler)"
	}
}

func (m Manager) isKubectl() bool { return strings.HasPrefix(m.Name, "kubectl") }

// autoscalers are the field managers of well-known autoscalers. The names matter only for writes to the object itself: writers of the subresource scale, such
// as HorizontalPodAutoscalers (field manager kube-controller-manager), are recognized by the subresource.
var autoscalers = []string{
	"vpa-recommender", "vpa-updater", "vpa-admission-controller", "keda-operator", "horizontal-pod-autoscaler", "cluster-proportional-autoscaler",
	"cluster-proportional-vertical-autoscaler", "pod_nanny", "addon-resizer",
}

// Autoscales reports whether the manager is an autoscaler. Every writer of the subresource scale counts as one, except users with kubectl.
func (m Manager) Autoscales() bool {
	return m.Subresource == scale && !m.isKubectl() || slices.Contains(autoscalers, m.Name)
}

// Autoscaled reports whether an autoscaler wrote the member's value. An apply of another value would compete with the autoscaler.
func (d Difference) Autoscaled() bool { return d.Manager.Autoscales() }

// WriterOf returns the manager that wrote a field of an object, according to its managedFields, or the zero value if they do not show it.
func WriterOf(live *unstructured.Unstructured, field ...string) Manager {
	path := make([]step, len(field))
	for i, name := range field {
		path[i] = step{field: name}
	}
	return parseWriters(live).writerOf(path)
}

type writers []writer

type writer struct {
	Manager
	time   string
	fields map[string]any
}

// parseWriters returns the entries of managedFields, without those that list no fields.
func parseWriters(live *unstructured.Unstructured) writers {
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

// Managers returns the managers in an object's managedFields, in their order. A manager may occur more than once.
func Managers(live *unstructured.Unstructured) iter.Seq[Manager] {
	return func(yield func(Manager) bool) {
		for entry := range managedFields(live) {
			if !yield(managerOf(entry)) {
				return
			}
		}
	}
}

// managedFields returns raw entries. Decoding them would take longer than the rest of a decision.
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

// writerOf returns the manager that wrote the value at a path. A claim on the field itself precedes one on an enclosing value, which precedes one on a part of
// the field. Of equal claims, one by subresource scale precedes others, because an autoscaler sets the value on purpose. The next is one by operation Apply,
// because an applier repeats its write. Otherwise, the latest write counts.
func (w writers) writerOf(path []step) Manager {
	var best *writer
	var bestClaim claim
	for i := range w {
		candidate := &w[i]
		found := findClaim(candidate.fields, path)
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

type claim int

const (
	claimsNothing claim = iota
	// claimsPart is a claim on something inside the field.
	claimsPart
	// claimsEnclosing is a claim on an enclosing value. If the enclosing value is always written as a whole, the claim includes the field. Otherwise, the
	// enclosing value was empty when it was written, and a later claim on the field itself counts.
	claimsEnclosing
	// claimsField is a claim on the field itself.
	claimsField
)

// findClaim looks up a path in fieldsV1. FieldsV1 is a nested map with the prefixes f: for the name of a field, k: for the merge key of an
// element, v: for the value of an element in a set, and i: for an index. An empty map is a field that is owned with its contents; "." marks a
// field that is owned without its contents.
func findClaim(fields map[string]any, path []step) claim {
	for i, s := range path {
		inner := innerFields(fields, s)
		switch {
		case inner == nil:
			return claimsNothing
		case len(inner) == 0 && i < len(path)-1:
			return claimsEnclosing
		case len(inner) == 0:
			return claimsField
		}
		fields = inner
	}
	if _, itself := fields["."]; itself {
		return claimsField
	}
	return claimsPart
}

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

// absentValue returns the value that an omitted key field has, or nil if it has none.
func absentValue(field string, keys []MergeKey) any {
	for _, key := range keys {
		if key.Field == field && key.Absent != "" {
			return key.Absent
		}
	}
	return nil
}
