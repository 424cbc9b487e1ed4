package placement

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"
)

func expression(text string) PropertyExpression {
	parts := strings.Fields(text)
	return PropertyExpression{Name: parts[0], Operator: PropertyOperator(parts[1]), Values: parts[2:]}
}

// problemsOf validates expressions written as "name operator values".
func problemsOf(texts ...string) []string {
	var expressions []PropertyExpression
	for _, text := range texts {
		expressions = append(expressions, expression(text))
	}
	var v validator
	v.checkPropertyExpressions(At("x"), expressions)
	var got []string
	for _, p := range v.problems {
		got = append(got, p.String())
	}
	return got
}

func TestPropertyExpressions(t *testing.T) {
	contradiction := func(at, why string) []string {
		return []string{"x[" + at + "]: the expressions about n contradict each other, so no cluster can match: " + why}
	}
	tests := map[string]struct {
		expressions []string
		want        []string
	}{
		"one":                         {[]string{"n Gt 5"}, nil},
		"a range":                     {[]string{"n Gt 5", "n Le 6", "n Ne 6", "n Ge 1"}, nil},
		"a point":                     {[]string{"n Ge 5", "n Le 5", "n Eq 5000m"}, nil},
		"two names":                   {[]string{"n Gt 5", "m Lt 3"}, nil},
		"two equal":                   {[]string{"n Eq 5", "n Eq 5000m"}, nil},
		"two equal that differ":       {[]string{"n Eq 1", "n Eq 2"}, contradiction("1", "it cannot be both 1 and 2")},
		"equal and not":               {[]string{"n Ne 1", "n Eq 1"}, contradiction("1", "it must be 1, and it must not be 1")},
		"empty interval":              {[]string{"n Gt 5", "n Lt 3"}, contradiction("1", "no value is above 5 and below 3")},
		"empty interval, touching":    {[]string{"n Gt 5", "n Le 5"}, contradiction("1", "no value is above 5 and below 5")},
		"empty interval, strict":      {[]string{"n Ge 5", "n Lt 5"}, contradiction("1", "no value is above 5 and below 5")},
		"strict wins at the same end": {[]string{"n Ge 5", "n Gt 5", "n Eq 5"}, contradiction("2", "5 is not above 5")},
		"equal below":                 {[]string{"n Gt 5", "n Eq 5"}, contradiction("1", "5 is not above 5")},
		"equal above":                 {[]string{"n Eq 1Gi", "n Le 1G"}, contradiction("1", "1Gi is not below 1G")},
		"reported once":               {[]string{"n Eq 1", "n Eq 2", "n Eq 3"}, contradiction("1", "it cannot be both 1 and 2")},
		"operator":                    {[]string{"n Equals 1"}, []string{`x[0].operator: "Equals" is not one of Gt, Ge, Eq, Ne, Lt, Le`}},
		"no value":                    {[]string{"n Eq"}, []string{"x[0].values: there are 0 values, and exactly one is required"}},
		"two values":                  {[]string{"n Eq 1 2"}, []string{"x[0].values: there are 2 values, and exactly one is required"}},
		"no quantity":                 {[]string{"n Eq many"}, []string{`x[0].values[0]: "many" is not a quantity such as "4", "500m" or "16Gi"`}},
		"huge quantity":               {[]string{"n Eq 1e9999999", "n Gt 1e-9999999"}, []string{`x[0].values[0]: "1e9999999" is not a quantity such as "4", "500m" or "16Gi"`, `x[1].values[0]: "1e-9999999" is not a quantity such as "4", "500m" or "16Gi"`}},
		"broken ones are left out":    {[]string{"n Equals 1", "n Eq many", "n Eq 2"}, []string{`x[0].operator: "Equals" is not one of Gt, Ge, Eq, Ne, Lt, Le`, `x[1].values[0]: "many" is not a quantity such as "4", "500m" or "16Gi"`}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, problemsOf(tt.expressions...)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPropertyNames(t *testing.T) {
	for name, valid := range map[string]bool{
		"kubernetes-fleet.io/node-count": true, "node-count": true, "k8s.io/k8s-version": true,
		"kubernetes.azure.com/vm-sizes/Standard_D4s_v3/count": true,
		"Not.A.Domain/x": true,
		"resources.kubernetes-fleet.io/available-cpu":    true,
		"resources.kubernetes-fleet.io/total-nvidia.com": true,
		"resources.kubernetes-fleet.io/free-cpu":         false,
		"resources.kubernetes-fleet.io/total":            false,
		"resources.kubernetes-fleet.io/total-":           false,
		"resources.kubernetes-fleet.io/total-a/b":        false,
		"":                                       false,
		"a b":                                    false,
		"a//b":                                   false,
		"a/":                                     false,
		"example.org/" + strings.Repeat("a", 64): false,
		strings.Repeat("a", 60) + "." + strings.Repeat("b", 9) + "/c": true,
	} {
		var v validator
		v.checkPropertyName(At("x"), name)
		if (len(v.problems) == 0) != valid {
			t.Errorf("%q: got %v", name, v.problems)
		}
	}
}

// TestContradictionsAreReal checks that nothing matches if validation reports a contradiction. Without Ne the reverse holds too. As in
// KubeFleet, the rule does not detect a range with a single value that Ne excludes.
func TestContradictionsAreReal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		operators := rapid.SampledFrom([]string{"Gt", "Ge", "Eq", "Ne", "Lt", "Le"})
		values := rapid.SampledFrom([]string{"1", "2", "3"})
		var texts []string
		for range rapid.IntRange(1, 4).Draw(t, "count") {
			texts = append(texts, "n "+operators.Draw(t, "operator")+" "+values.Draw(t, "value"))
		}
		matches := false
		for candidate := int64(0); candidate <= 4000; candidate += 250 {
			quantity := *resource.NewMilliQuantity(candidate, resource.DecimalSI)
			fails := func(text string) bool { return !holds(quantity, expression(text)) }
			matches = matches || !slices.ContainsFunc(texts, fails)
		}
		got := problemsOf(texts...)
		exact := !strings.Contains(strings.Join(texts, " "), "Ne")
		if matches && len(got) > 0 || exact && !matches && len(got) == 0 {
			t.Fatalf("%v: there is a match: %t; got %v", texts, matches, got)
		}
	})
}

// holds evaluates an expression as the scheduler does.
func holds(q resource.Quantity, e PropertyExpression) bool {
	comparison := q.Cmp(resource.MustParse(e.Values[0]))
	return map[PropertyOperator]bool{
		"Gt": comparison > 0, "Ge": comparison >= 0, "Eq": comparison == 0, "Ne": comparison != 0, "Lt": comparison < 0, "Le": comparison <= 0,
	}[e.Operator]
}
