package labelselector

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/arbitrary"
)

func TestRoundTrip(t *testing.T) {
	g := arbitrary.New(t)
	for range 300 {
		selector := arbitrary.Value[*metav1.LabelSelector](g)
		if diff := cmp.Diff(selector, Flatten(selector).Expand()); diff != "" {
			t.Fatal(diff)
		}
		m := arbitrary.Value[*Model](g)
		if diff := cmp.Diff(m, Flatten(m.Expand())); diff != "" {
			t.Fatal(diff)
		}
	}
	if unseen := g.Unseen(); len(unseen) > 0 {
		t.Errorf("these values were never generated: %v", unseen)
	}
}

// TestOperators checks that the API machinery supports every operator.
func TestOperators(t *testing.T) {
	for _, operator := range placement.LabelOperator("").Values() {
		e := expression{Key: "k", Operator: placement.LabelOperator(operator)}
		if operator == "In" || operator == "NotIn" {
			e.Values = []string{"v"}
		}
		if _, err := metav1.LabelSelectorAsSelector((&Model{MatchExpressions: []expression{e}}).Expand()); err != nil {
			t.Errorf("%s: %v", operator, err)
		}
	}
}
