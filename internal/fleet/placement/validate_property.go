package placement

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/kubefleetapi"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/naming"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/quantity"
)

func (v *validator) checkPropertyExpressions(path Path, expressions []PropertyExpression) {
	ranges := map[string]*propertyRange{}
	for i, e := range expressions {
		at := path.Index(i)
		v.checkPropertyName(at.Attribute("name"), e.Name)
		value, valid := v.checkPropertyValue(at, e)
		if !valid {
			continue
		}
		if ranges[e.Name] == nil {
			ranges[e.Name] = &propertyRange{}
		}
		// Report only the first contradiction of a property: each further expression would repeat it.
		r := ranges[e.Name]
		if r.broken {
			continue
		}
		r.narrow(e.Operator, value)
		if contradiction := r.describeContradiction(); contradiction != "" {
			r.broken = true
			v.add(at, "the expressions about %s contradict each other, so no cluster can match: %s", e.Name, contradiction)
		}
	}
}

// checkPropertyValue checks the operator and the value of an expression, and returns the value. valid is false for an invalid expression, which is not
// compared with the others.
func (v *validator) checkPropertyValue(path Path, e PropertyExpression) (value resource.Quantity, valid bool) {
	valid = checkRequiredEnum(v, path.Attribute("operator"), e.Operator)
	if len(e.Values) != 1 {
		v.add(path.Attribute("values"), "there are %d values, and exactly one is required", len(e.Values))
		return value, false
	}
	value, err := quantity.Parse(e.Values[0])
	if err != nil {
		v.add(path.Attribute("values").Index(0), `%q is not a quantity such as "4", "500m" or "16Gi"`, e.Values[0])
		return value, false
	}
	return value, valid
}

// checkPropertyName checks the name of a property. It is either the total, allocatable or available amount of a resource, or segments separated by
// slashes. The first segment may be a DNS name.
func (v *validator) checkPropertyName(path Path, name string) {
	if rest, found := strings.CutPrefix(name, kubefleetapi.ResourcePrefix); found {
		count, _, named := strings.Cut(rest, "-")
		if !named || count != "total" && count != "allocatable" && count != "available" {
			v.add(path, "%q does not name a resource of a cluster: it is %s followed by total, allocatable or available, a dash and the "+
				"resource, for instance %savailable-cpu", name, kubefleetapi.ResourcePrefix, kubefleetapi.ResourcePrefix)
			return
		}
		v.checkText(path, "the name of a property", name, naming.LabelKey)
		return
	}
	segments := strings.Split(name, "/")
	if len(segments) > 1 && naming.Subdomain(segments[0]) == "" {
		segments = segments[1:]
	}
	for _, segment := range segments {
		if problem := naming.LabelKey(segment); problem != "" {
			v.add(path, "%q is not the name of a property: %s", name, problem)
			return
		}
	}
}

// bound is a limit of a propertyRange. A strict bound excludes its value.
type bound struct {
	value  resource.Quantity
	strict bool
}

// propertyRange has the values that all expressions about one property allow.
type propertyRange struct {
	lower, upper *bound
	equal        []resource.Quantity
	unequal      []resource.Quantity
	broken       bool
}

func (r *propertyRange) narrow(operator PropertyOperator, value resource.Quantity) {
	switch operator {
	case EqualTo:
		r.equal = append(r.equal, value)
	case NotEqualTo:
		r.unequal = append(r.unequal, value)
	case GreaterThan, GreaterOrEqual:
		next := &bound{value: value, strict: operator == GreaterThan}
		if r.lower == nil || isTighter(value.Cmp(r.lower.value), next.strict) {
			r.lower = next
		}
	case LessThan, LessOrEqual:
		next := &bound{value: value, strict: operator == LessThan}
		if r.upper == nil || isTighter(-value.Cmp(r.upper.value), next.strict) {
			r.upper = next
		}
	}
}

// isTighter reports whether a bound allows less than the previous one. further is positive if its value is further inside the range, and 0 if both values are
// equal.
func isTighter(further int, strict bool) bool { return further > 0 || further == 0 && strict }

func (r *propertyRange) describeContradiction() string {
	if r.lower != nil && r.upper != nil && isEmptyRange(r.lower.value.Cmp(r.upper.value), r.lower.strict || r.upper.strict) {
		return fmt.Sprintf("no value is above %s and below %s", r.lower.value.String(), r.upper.value.String())
	}
	for _, equal := range r.equal {
		if r.equal[0].Cmp(equal) != 0 {
			return fmt.Sprintf("it cannot be both %s and %s", r.equal[0].String(), equal.String())
		}
		for _, unequal := range r.unequal {
			if equal.Cmp(unequal) == 0 {
				return fmt.Sprintf("it must be %[1]s, and it must not be %[1]s", equal.String())
			}
		}
		if r.lower != nil && isEmptyRange(r.lower.value.Cmp(equal), r.lower.strict) {
			return fmt.Sprintf("%s is not above %s", equal.String(), r.lower.value.String())
		}
		if r.upper != nil && isEmptyRange(equal.Cmp(r.upper.value), r.upper.strict) {
			return fmt.Sprintf("%s is not below %s", equal.String(), r.upper.value.String())
		}
	}
	return ""
}

// isEmptyRange reports whether no value is between two bounds. comparison is the result of Cmp of the lower with the upper bound. strict means that a bound
// excludes its value.
func isEmptyRange(comparison int, strict bool) bool {
	return comparison > 0 || comparison == 0 && strict
}
