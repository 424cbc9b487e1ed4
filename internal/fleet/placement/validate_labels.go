package placement

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/api/validate/content"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ValidateLabelSelector tells what is wrong with a label selector.
func ValidateLabelSelector(path Path, s *metav1.LabelSelector) []Problem {
	var v validator
	v.labelSelector(path, s)
	return v.problems
}

// labelSelector checks what the API machinery demands of a label selector; an empty one is legal and matches everything.
func (v *validator) labelSelector(path Path, s *metav1.LabelSelector) {
	if s == nil {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(s.MatchLabels)) {
		entry := path.Attribute("match_labels").Key(key)
		v.each(entry, content.IsLabelKey(key))
		v.each(entry, content.IsLabelValue(s.MatchLabels[key]))
	}
	for i, expression := range s.MatchExpressions {
		v.labelExpression(path.Attribute("match_expressions").Index(i), expression)
	}
}

func (v *validator) labelExpression(path Path, expression metav1.LabelSelectorRequirement) {
	v.each(path.Attribute("key"), content.IsLabelKey(expression.Key))
	values := path.Attribute("values")
	switch expression.Operator {
	case metav1.LabelSelectorOpIn, metav1.LabelSelectorOpNotIn:
		if len(expression.Values) == 0 {
			v.add(values, "operator %s requires at least one value", expression.Operator)
		}
	case metav1.LabelSelectorOpExists, metav1.LabelSelectorOpDoesNotExist:
		if len(expression.Values) > 0 {
			v.add(values, "operator %s allows no values: remove them", expression.Operator)
		}
	default:
		mandatory(v, path.Attribute("operator"), LabelOperator(expression.Operator))
	}
	for i, value := range expression.Values {
		v.each(values.Index(i), content.IsLabelValue(value))
	}
}
