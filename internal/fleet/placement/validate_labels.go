package placement

import (
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/naming"
)

// What messages call the texts.
const labelKey, labelValue = "a label key", "a label value"

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
		v.named(entry, labelKey, key, naming.LabelKey)
		v.named(entry, labelValue, s.MatchLabels[key], naming.LabelValue)
	}
	before := len(v.problems)
	for i, expression := range s.MatchExpressions {
		v.labelExpression(path.Attribute("match_expressions").Index(i), expression)
	}
	if len(v.problems) == before {
		v.labelContradictions(path, *s)
	}
}

func (v *validator) labelExpression(path Path, expression metav1.LabelSelectorRequirement) {
	v.named(path.Attribute("key"), labelKey, expression.Key, naming.LabelKey)
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
		v.named(values.Index(i), labelValue, value, naming.LabelValue)
	}
}
