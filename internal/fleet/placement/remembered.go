package placement

import "maps"

// maxRemembered is the maximum number of selected objects that are stored for a placement. It also limits the failed, the drifted and the diffed
// objects over all clusters, but up to minRemembered of each are stored for every cluster.
const maxRemembered, minRemembered = 1000, 5

// Remembered returns the part of a status that the next operation needs. Its size is limited: of many objects that failed with the same reason, it keeps a few.
func (s Status) Remembered() Status {
	out := s
	out.SelectedResources = s.SelectedResources[:min(len(s.SelectedResources), maxRemembered)]
	out.Clusters = maps.Clone(s.Clusters)
	limit := max(minRemembered, maxRemembered/max(1, len(s.Clusters)))
	for name, cluster := range s.Clusters {
		cluster.FailedPlacements = sampleFailures(cluster.FailedPlacements, limit)
		cluster.DriftedPlacements = cluster.DriftedPlacements[:min(len(cluster.DriftedPlacements), limit)]
		cluster.DiffedPlacements = cluster.DiffedPlacements[:min(len(cluster.DiffedPlacements), limit)]
		out.Clusters[name] = cluster
	}
	return out
}

// sampleFailures returns at most limit failures, but always one for each condition type and reason.
func sampleFailures(all []FailedPlacement, limit int) []FailedPlacement {
	if len(all) <= limit {
		return all
	}
	type kind struct{ conditionType, reason string }
	kinds := map[kind]bool{}
	for _, f := range all {
		kinds[kind{f.Condition.Type, f.Condition.Reason}] = true
	}
	var out []FailedPlacement
	room := limit - len(kinds)
	for _, f := range all {
		is := kind{f.Condition.Type, f.Condition.Reason}
		switch {
		case kinds[is]:
			delete(kinds, is)
		case room > 0:
			room--
		default:
			continue
		}
		out = append(out, f)
	}
	return out
}
