package placement

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"
)

func TestLabelContradictions(t *testing.T) {
	for text, contradicts := range map[string]bool{
		`{}`:                    false,
		`{matchLabels: {a: b}}`: false,
		`{matchLabels: {a: b}, matchExpressions: [{key: a, operator: DoesNotExist}]}`:                                                   true,
		`{matchLabels: {a: b}, matchExpressions: [{key: c, operator: DoesNotExist}]}`:                                                   false,
		`{matchLabels: {a: b}, matchExpressions: [{key: a, operator: In, values: [c]}]}`:                                                true,
		`{matchLabels: {a: b}, matchExpressions: [{key: a, operator: In, values: [b, c]}]}`:                                             false,
		`{matchLabels: {a: b}, matchExpressions: [{key: a, operator: NotIn, values: [b]}]}`:                                             true,
		`{matchLabels: {a: b}, matchExpressions: [{key: a, operator: Exists}]}`:                                                         false,
		`{matchExpressions: [{key: a, operator: Exists}, {key: a, operator: DoesNotExist}]}`:                                            true,
		`{matchExpressions: [{key: a, operator: In, values: [b]}, {key: a, operator: DoesNotExist}]}`:                                   true,
		`{matchExpressions: [{key: a, operator: In, values: [b]}, {key: a, operator: In, values: [c]}]}`:                                true,
		`{matchExpressions: [{key: a, operator: In, values: [b, c]}, {key: a, operator: NotIn, values: [b, c]}]}`:                       true,
		`{matchExpressions: [{key: a, operator: NotIn, values: [b]}, {key: a, operator: DoesNotExist}]}`:                                false,
		`{matchExpressions: [{key: a, operator: NotIn, values: [b]}, {key: a, operator: In, values: [b, c]}]}`:                          false,
		`{matchExpressions: [{key: a, operator: In, values: [b, c]}, {key: a, operator: In, values: [c, d]}]}`:                          false,
		`{matchExpressions: [{key: a, operator: In, values: [b, c]}, {key: a, operator: In, values: [d]}, {key: e, operator: Exists}]}`: true,
	} {
		var s metav1.LabelSelector
		if err := yaml.UnmarshalStrict([]byte(text), &s); err != nil {
			t.Fatal(err)
		}
		problems := ValidateLabelSelector(At("label_selector"), &s)
		if contradicts != (len(problems) == 1) || contradicts && !strings.HasPrefix(problems[0].String(), `label_selector: nothing can match: its requirements for the label "a"`) {
			t.Errorf("%s: %v", text, problems)
		}
		for _, p := range problems {
			if !p.Warning {
				t.Errorf("%s: the API accepts it: %v", text, p)
			}
		}
		// Kubernetes agrees: no value in the test matches a selector that contradicts itself, and at least one matches every other selector.
		selector, err := metav1.LabelSelectorAsSelector(&s)
		if err != nil {
			t.Fatal(err)
		}
		matches := false
		for _, set := range []labels.Set{{"e": "x"}, {"a": "b", "e": "x"}, {"a": "c", "e": "x"}, {"a": "d", "e": "x"}} {
			matches = matches || selector.Matches(set)
		}
		if matches == contradicts {
			t.Errorf("%s: matches is %v", text, matches)
		}
	}
}
