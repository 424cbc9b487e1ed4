package schedule

// filters are the filters that do not depend on picks, in KubeFleet's order: ClusterAffinity, ClusterEligibility, NamespaceAffinity, TaintToleration.
type filters struct {
	properties properties
	required   requiredAffinity
}

func (s *scheduler) newFilters() *filters {
	out := &filters{properties: properties{clusters: s.clusters}}
	out.required = newRequiredAffinity(s.policy.Affinity, &out.properties)
	return out
}

// rejectionReason returns the reason of the first filter that rejects the cluster, or "".
func (s *scheduler) rejectionReason(f *filters, index int) (string, error) {
	cluster := s.clusters[index]
	matches, err := f.required.matches(cluster, index)
	if err != nil {
		return "", err
	}
	if !matches {
		return unschedulable + affinityReason, nil
	}
	reason := ineligibleReason(cluster, s.now)
	if reason == "" {
		reason = missingNamespaceReason(cluster, s.namespace)
	}
	if reason == "" {
		reason = taintReason(cluster.Taints, s.policy.Tolerations)
	}
	if reason == "" {
		return "", nil
	}
	return unschedulable + reason, nil
}
