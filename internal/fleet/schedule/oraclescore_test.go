package schedule

import (
	"math"
	"sort"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

func (o *oracle) score(passed []*Cluster) ([]naiveCandidate, error) {
	var preferred []placement.PreferredClusterSelector
	if o.policy.Affinity != nil {
		preferred = o.policy.Affinity.ClusterAffinity.Preferred
	}
	for _, p := range preferred {
		for i := range o.clusters {
			if sorter := p.Preference.PropertySorter; sorter != nil {
				if _, err := o.property(&o.clusters[i], sorter.Name); err != nil {
					return nil, err
				}
			}
		}
	}
	var out []naiveCandidate
	for _, c := range passed {
		candidate := naiveCandidate{cluster: c, obsolete: o.hasBinding(c.Name, "obsolete")}
		candidate.spread, _ = o.spread(c)
		for _, p := range preferred {
			score, err := o.preference(c, p)
			if err != nil {
				return nil, err
			}
			candidate.affinity += score
		}
		out = append(out, candidate)
	}
	sort.Slice(out, func(i, j int) bool {
		a, b := out[i], out[j]
		switch {
		case a.spread != b.spread:
			return a.spread > b.spread
		case a.affinity != b.affinity:
			return a.affinity > b.affinity
		case a.obsolete != b.obsolete:
			return a.obsolete
		}
		return a.cluster.Name > b.cluster.Name
	})
	return out, nil
}

func (o *oracle) preference(c *Cluster, p placement.PreferredClusterSelector) (int32, error) {
	if p.Weight == 0 {
		return 0, nil
	}
	matches, err := naiveLabels(c, p.Preference.LabelSelector)
	if !matches || err != nil {
		return 0, err
	}
	sorter := p.Preference.PropertySorter
	if sorter == nil {
		return p.Weight, nil
	}
	own, err := o.property(c, sorter.Name)
	if own == nil || err != nil {
		return 0, err
	}
	lowest, highest := *own, *own
	for i := range o.clusters {
		if q, _ := o.property(&o.clusters[i], sorter.Name); q != nil {
			if q.Cmp(lowest) < 0 {
				lowest = *q
			}
			if q.Cmp(highest) > 0 {
				highest = *q
			}
		}
	}
	v, mn, mx := own.AsApproximateFloat64(), lowest.AsApproximateFloat64(), highest.AsApproximateFloat64()
	switch {
	case math.IsInf(mn, 0) || math.IsInf(mx, 0) || v < mn || v > mx:
		return 0, errOracle
	case mn == mx:
		return 0, nil
	case sorter.SortOrder == "Descending":
		return int32(math.Round((v - mn) / (mx - mn) * float64(p.Weight))), nil
	case sorter.SortOrder == "Ascending":
		return int32(math.Round((1 - (v-mn)/(mx-mn)) * float64(p.Weight))), nil
	}
	return 0, errOracle
}
