package schedule

import (
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// pickAll takes every cluster that passes the filters. Clusters that the same policy picked before stay, whatever they look like now.
func pickAll(policy placement.Policy, clusters []Cluster, held []string) (Outcome, error) {
	affinity, err := newClusterAffinity(policy.Affinity)
	if err != nil {
		return Outcome{}, err
	}
	var selected, filtered []Decision
	for _, cluster := range clusters {
		if slices.Contains(held, cluster.Name) {
			selected = append(selected, picked(cluster.Name, &Score{}))
			continue
		}
		if reason := filter(cluster, affinity, policy.Tolerations); reason != "" {
			filtered = append(filtered, Decision{Cluster: cluster.Name, Reason: "ClusterUnschedulable, " + reason})
			continue
		}
		selected = append(selected, picked(cluster.Name, &Score{}))
	}
	return Outcome{Decisions: append(selected, filtered...), Wanted: len(selected), Fulfilled: true}, nil
}

// filter runs the plugins in KubeFleet's order; the first one that refuses the cluster gives the only reason that is reported.
func filter(cluster Cluster, affinity clusterAffinity, tolerations []placement.Toleration) string {
	if !affinity.matches(cluster) {
		return "cluster does not match with any of the required cluster affinity terms"
	}
	if cluster.Ineligible != "" {
		return "cluster is not eligible for resource placement yet: " + cluster.Ineligible
	}
	return untoleratedTaint(cluster.Taints, tolerations)
}
