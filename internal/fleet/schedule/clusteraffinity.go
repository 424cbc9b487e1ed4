package schedule

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// clusterAffinity is the required affinity, ready to match. The terms are ORed; none at all match every cluster.
type clusterAffinity struct{ terms []labels.Selector }

func newClusterAffinity(affinity *placement.Affinity) (clusterAffinity, error) {
	var out clusterAffinity
	if affinity == nil || affinity.ClusterAffinity == nil || affinity.ClusterAffinity.Required == nil {
		return out, nil
	}
	for i, term := range affinity.ClusterAffinity.Required.ClusterSelectorTerms {
		selector := labels.Everything()
		if term.LabelSelector != nil {
			var err error
			if selector, err = metav1.LabelSelectorAsSelector(term.LabelSelector); err != nil {
				return out, fmt.Errorf("the label selector of required cluster selector term %d is not valid: %w", i, err)
			}
		}
		out.terms = append(out.terms, selector)
	}
	return out, nil
}

func (a clusterAffinity) matches(cluster Cluster) bool {
	if len(a.terms) == 0 {
		return true
	}
	for _, term := range a.terms {
		if term.Matches(labels.Set(cluster.Labels)) {
			return true
		}
	}
	return false
}
