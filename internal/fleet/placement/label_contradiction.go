package placement

import (
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// labelRange is what all requirements of a selector for one label leave over.
type labelRange struct {
	// present and absent report that the label must exist, and that it must not.
	present, absent bool
	// values are those that the label may have; nil for any.
	values map[string]bool
	// excluded are values that the label must not have.
	excluded []string
}

// only intersects the values that the label may have.
func (r *labelRange) only(values ...string) {
	r.present = true
	if r.values == nil {
		r.values = map[string]bool{}
		for _, value := range values {
			r.values[value] = true
		}
		return
	}
	maps.DeleteFunc(r.values, func(value string, _ bool) bool { return !slices.Contains(values, value) })
}

func (r *labelRange) contradicts() bool {
	for _, value := range r.excluded {
		delete(r.values, value)
	}
	return r.present && r.absent || r.values != nil && len(r.values) == 0
}

// labelContradictions warns of requirements of a selector that exclude each other: the API accepts such a selector, and it matches nothing.
func (v *validator) labelContradictions(path Path, s metav1.LabelSelector) {
	ranges := map[string]*labelRange{}
	of := func(key string) *labelRange {
		if ranges[key] == nil {
			ranges[key] = &labelRange{}
		}
		return ranges[key]
	}
	for key, value := range s.MatchLabels {
		of(key).only(value)
	}
	for _, e := range s.MatchExpressions {
		switch e.Operator {
		case metav1.LabelSelectorOpIn:
			of(e.Key).only(e.Values...)
		case metav1.LabelSelectorOpNotIn:
			of(e.Key).excluded = append(of(e.Key).excluded, e.Values...)
		case metav1.LabelSelectorOpExists:
			of(e.Key).present = true
		case metav1.LabelSelectorOpDoesNotExist:
			of(e.Key).absent = true
		}
	}
	for _, key := range slices.Sorted(maps.Keys(ranges)) {
		if !ranges[key].contradicts() {
			continue
		}
		v.warn(path, "nothing can match: its requirements for the label %q contradict each other", key)
	}
}
