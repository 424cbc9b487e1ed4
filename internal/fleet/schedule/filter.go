package schedule

// filters are the filters that do not depend on what was picked, in KubeFleet's order: ClusterAffinity, ClusterEligibility, NamespaceAffinity,
// TaintToleration.
type filters struct {
	properties properties
	required   requiredAffinity
}

func (s *scheduler) newFilters() *filters {
	out := &filters{properties: properties{clusters: s.clusters}}
	out.required = newRequiredAffinity(s.policy.Affinity, &out.properties)
	return out
}

// refuse returns why a cluster is refused, or nothing. The first filter that refuses a cluster gives the only reason there is.
func (s *scheduler) refuse(f *filters, index int) (string, error) {
	cluster := s.clusters[index]
	matches, err := f.required.matches(cluster, index)
	if err != nil {
		return "", err
	}
	if !matches {
		return unschedulable + affinityReason, nil
	}
	reason := ineligible(cluster, s.now)
	if reason == "" {
		reason = withoutNamespace(cluster, s.namespace)
	}
	if reason == "" {
		reason = untoleratedTaint(cluster.Taints, s.policy.Tolerations)
	}
	if reason == "" {
		return "", nil
	}
	return unschedulable + reason, nil
}
