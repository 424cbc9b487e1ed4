package schedule

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/quantity"
)

const affinityReason = "cluster does not match with any of the required cluster affinity terms"

// requiredAffinity is the compiled filter of KubeFleet's ClusterAffinity plugin. The terms are ORed; an empty list matches every cluster.
type requiredAffinity struct{ terms []requiredTerm }

// requiredTerm matches if the labels and all expressions match. An invalid part is an error only when it is evaluated for a cluster: as in
// KubeFleet, an earlier term that matches hides the error.
type requiredTerm struct {
	where       string
	selector    labels.Selector // nil if the term has no label selector
	err         error
	expressions []expression
}

type expression struct {
	property *property
	operator placement.PropertyOperator
	want     resource.Quantity
	err      error
}

func newRequiredAffinity(affinity *placement.Affinity, properties *properties) requiredAffinity {
	var out requiredAffinity
	if affinity == nil || affinity.ClusterAffinity == nil || affinity.ClusterAffinity.Required == nil {
		return out
	}
	for i, term := range affinity.ClusterAffinity.Required.ClusterSelectorTerms {
		compiled := requiredTerm{where: fmt.Sprintf("required cluster selector term %d", i)}
		compiled.selector, compiled.err = compileSelector(term.LabelSelector)
		if term.PropertySelector != nil {
			for _, e := range term.PropertySelector.MatchExpressions {
				compiled.expressions = append(compiled.expressions, newExpression(e, properties))
			}
		}
		out.terms = append(out.terms, compiled)
	}
	return out
}

// compileSelector returns nil for a nil selector. Like an empty selector, nil matches everything.
func compileSelector(selector *metav1.LabelSelector) (labels.Selector, error) {
	if selector == nil {
		return nil, nil
	}
	out, err := metav1.LabelSelectorAsSelector(selector)
	if err != nil {
		return nil, fmt.Errorf("the label selector is not valid: %w", err)
	}
	return out, nil
}

func newExpression(e placement.PropertyExpression, properties *properties) expression {
	out := expression{property: properties.get(e.Name), operator: e.Operator}
	if len(e.Values) != 1 {
		out.err = fmt.Errorf("property %s is compared with %d values, and exactly one is needed", e.Name, len(e.Values))
		return out
	}
	if out.want, out.err = quantity.Parse(e.Values[0]); out.err != nil {
		out.err = fmt.Errorf("property %s is compared with %q, which is not a quantity: %w", e.Name, e.Values[0], out.err)
		return out
	}
	if operators := e.Operator.Values(); !slices.Contains(operators, string(e.Operator)) {
		out.err = fmt.Errorf("property %s is compared by the operator %q, which is not one of %s", e.Name, e.Operator, strings.Join(operators, ", "))
	}
	return out
}

func (a requiredAffinity) matches(c *Cluster, index int) (bool, error) {
	for i := range a.terms {
		matches, err := a.terms[i].matches(c, index)
		if err != nil {
			return false, &Error{Cluster: c.Name, Where: a.terms[i].where, Err: err}
		}
		if matches {
			return true, nil
		}
	}
	return len(a.terms) == 0, nil
}

func (t *requiredTerm) matches(c *Cluster, index int) (bool, error) {
	if t.err != nil {
		return false, t.err
	}
	if t.selector != nil && !t.selector.Matches(labels.Set(c.Labels)) {
		return false, nil
	}
	for i := range t.expressions {
		if matches, err := t.expressions[i].matches(c, index); !matches || err != nil {
			return false, err
		}
	}
	return true, nil
}

// matches returns false for every operator, including Ne, if the property is missing.
func (e *expression) matches(c *Cluster, index int) (bool, error) {
	r := e.property.read(c, index)
	switch {
	case r.err != nil:
		return false, r.err
	case !r.present:
		return false, nil
	case e.err != nil:
		return false, e.err
	}
	order := compareQuantities(r.quantity, e.want)
	switch e.operator {
	case placement.GreaterThan:
		return order > 0, nil
	case placement.GreaterOrEqual:
		return order >= 0, nil
	case placement.EqualTo:
		return order == 0, nil
	case placement.NotEqualTo:
		return order != 0, nil
	case placement.LessThan:
		return order < 0, nil
	case placement.LessOrEqual:
	}
	return order <= 0, nil
}
