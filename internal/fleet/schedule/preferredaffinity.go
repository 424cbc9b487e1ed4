package schedule

import (
	"errors"
	"fmt"
	"math"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// preferredAffinity scores clusters as KubeFleet's ClusterAffinity plugin does: it adds the scores of the terms without normalization.
type preferredAffinity struct{ terms []preferredTerm }

type preferredTerm struct {
	where    string
	weight   int32
	selector labels.Selector // nil if the term has no label selector
	err      error
	sorter   *property // nil if the score is the plain weight
	order    placement.SortOrder
}

func newPreferredAffinity(affinity *placement.Affinity, properties *properties) preferredAffinity {
	var out preferredAffinity
	if affinity == nil || affinity.ClusterAffinity == nil {
		return out
	}
	for i, p := range affinity.ClusterAffinity.Preferred {
		term := preferredTerm{where: fmt.Sprintf("preferred cluster selector term %d", i), weight: p.Weight}
		term.selector, term.err = compileSelector(p.Preference.LabelSelector)
		if sorter := p.Preference.PropertySorter; sorter != nil {
			term.sorter, term.order = properties.get(sorter.Name), sorter.SortOrder
		}
		out.terms = append(out.terms, term)
	}
	return out
}

// prepare finds the extremes of all sorters, including those with weight 0: an invalid value on any cluster fails the cycle, regardless of the weight.
func (a preferredAffinity) prepare(clusters []*Cluster) error {
	for _, term := range a.terms {
		if term.sorter == nil {
			continue
		}
		if err := term.sorter.findExtremes(clusters); err != nil {
			var failed *Error
			if errors.As(err, &failed) {
				failed.Where = term.where
			}
			return err
		}
	}
	return nil
}

func (a preferredAffinity) score(c *Cluster, index int) (int32, error) {
	var sum int32
	for i := range a.terms {
		score, err := a.terms[i].score(c, index)
		if err != nil {
			return 0, &Error{Cluster: c.Name, Where: a.terms[i].where, Err: err}
		}
		sum += score
	}
	return sum, nil
}

func (t *preferredTerm) score(c *Cluster, index int) (int32, error) {
	switch {
	case t.weight == 0:
		return 0, nil
	case t.err != nil:
		return 0, t.err
	case t.selector != nil && !t.selector.Matches(labels.Set(c.Labels)):
		return 0, nil
	case t.sorter == nil:
		return t.weight, nil
	}
	r := t.sorter.read(c, index)
	if r.err != nil || !r.present {
		return 0, r.err
	}
	return interpolate(r.quantity.AsApproximateFloat64(), *t.sorter.extremes, t.order, t.weight)
}

// interpolate returns the full weight for the best value, 0 for the worst, and a proportional share for a value between them. If all values are equal, it
// returns 0. bounds are the smallest and the largest value of all clusters. The order of the operations is KubeFleet's, because it affects how halves are
// rounded.
func interpolate(value float64, bounds extremes, order placement.SortOrder, weight int32) (int32, error) {
	if math.IsInf(bounds.min, 0) || math.IsInf(bounds.max, 0) || bounds.min > bounds.max || value < bounds.min || value > bounds.max {
		return 0, fmt.Errorf("the value %v cannot be ranked between the smallest, %v, and the largest, %v", value, bounds.min, bounds.max)
	}
	if bounds.min == bounds.max {
		return 0, nil
	}
	share := (value - bounds.min) / (bounds.max - bounds.min)
	switch order {
	case placement.Descending:
		return int32(math.Round(share * float64(weight))), nil
	case placement.Ascending:
		return int32(math.Round((1 - share) * float64(weight))), nil
	}
	return 0, fmt.Errorf("the sort order %q is not one of Ascending, Descending", order)
}
