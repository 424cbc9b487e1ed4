package placement

import "strings"

// ValidateUse lists specs that the API accepts although they cannot work or are probably not intended.
func ValidateUse(spec Spec) []Problem {
	var v validator
	if s := spec.Strategy; s != nil && s.RollingUpdate != nil {
		r := s.RollingUpdate
		if isZero(r.MaxUnavailable) && isZero(r.MaxSurge) {
			v.add(At("strategy").Attribute("rolling_update"), "max_unavailable and max_surge are both 0, so no cluster can ever change: set one of "+
				"them to at least 1")
		}
	}
	if s := spec.Strategy; s != nil && s.DeleteStrategy != nil && *s.DeleteStrategy == (DeleteStrategy{AbandonObjects, TakeContents}) {
		v.warn(At("strategy").Attribute("delete_strategy").Attribute("contents"), "it has no effect with propagation_policy Abandon, which deletes nothing: remove it")
	}
	if p := spec.Policy; p != nil && p.PlacementType == PickFixed && len(p.ClusterNames) == 0 {
		v.warn(At("policy").Attribute("cluster_names"), "PickFixed names no cluster, so nothing is placed: set cluster_names, or use PickAll")
	}
	return v.problems
}

func isZero(count string) bool {
	digits := strings.TrimSuffix(count, "%")
	return digits != "" && strings.Trim(digits, "0") == ""
}
