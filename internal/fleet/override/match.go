package override

import (
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// matches reports whether the rule applies to the cluster. Unlike in scheduling, a nil selector, and a term without label selector, match
// nothing. A selector without terms matches everything (pkg/utils/overrider, IsClusterMatched).
func (r Rule) matches(cluster Cluster) (bool, error) {
	if r.ClusterSelector == nil {
		return false, nil
	}
	terms := r.ClusterSelector.ClusterSelectorTerms
	if len(terms) == 0 {
		return true, nil
	}
	for _, term := range terms {
		selector, err := metav1.LabelSelectorAsSelector(term.LabelSelector)
		if err != nil {
			return false, errors.New("the label selector of its clusters is not valid: " + err.Error())
		}
		if selector.Matches(clusterLabels{cluster}) {
			return true, nil
		}
	}
	return false, nil
}

// clusterLabels includes the implicit label with the cluster's name.
type clusterLabels struct{ cluster Cluster }

func (l clusterLabels) Has(key string) bool {
	_, found := l.cluster.label(key)
	return found
}

func (l clusterLabels) Get(key string) string {
	value, _ := l.cluster.label(key)
	return value
}

// Lookup implements labels.Labels.
func (l clusterLabels) Lookup(key string) (value string, found bool) { return l.cluster.label(key) }
