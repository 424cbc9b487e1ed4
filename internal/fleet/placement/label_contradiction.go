package placement

import (
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// labelRange is the set of values that all requirements of a selector allow for one label.
type labelRange struct {
	// present means that the label must exist, and absent that it must not exist.
	present, absent bool
	// values are the allowed values; nil allows all. excluded are values that are not allowed.
	values   map[string]bool
	excluded []string
}

func (r *labelRange) restrict(values ...string) {
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

func (r *labelRange) isContradictory() bool {
	for _, value := range r.excluded {
		delete(r.values, value)
	}
	return r.present && r.absent || r.values != nil && len(r.values) == 0
}

// warnOfContradictions warns of requirements of a selector that exclude each other. The API accepts the selector, but it matches nothing.
func (v *validator) warnOfContradictions(path Path, s metav1.LabelSelector) {
	ranges := map[string]*labelRange{}
	rangeOf := func(key string) *labelRange {
		if ranges[key] == nil {
			ranges[key] = &labelRange{}
		}
		return ranges[key]
	}
	for key, value := range s.MatchLabels {
		rangeOf(key).restrict(value)
	}
	for _, e := range s.MatchExpressions {
		switch e.Operator {
		case metav1.LabelSelectorOpIn:
			rangeOf(e.Key).restrict(e.Values...)
		case metav1.LabelSelectorOpNotIn:
			rangeOf(e.Key).excluded = append(rangeOf(e.Key).excluded, e.Values...)
		case metav1.LabelSelectorOpExists:
			rangeOf(e.Key).present = true
		case metav1.LabelSelectorOpDoesNotExist:
			rangeOf(e.Key).absent = true
		}
	}
	for _, key := range slices.Sorted(maps.Keys(ranges)) {
		if !ranges[key].isContradictory() {
			continue
		}
		v.warn(path, "nothing can match: its requirements for the label %q contradict each other", key)
	}
}
