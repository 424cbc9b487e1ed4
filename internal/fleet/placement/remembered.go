package placement

import "maps"

// maxRemembered is how many entries of a kind are remembered of a placement, over all clusters; of each cluster at least minRemembered.
const maxRemembered, minRemembered = 1000, 5

// Remembered is the part of a status that the next operation has to know, in a size that does not grow with the number of objects: of many that
// failed alike a few stand for the others.
func (s Status) Remembered() Status {
	out := s
	out.SelectedResources = s.SelectedResources[:min(len(s.SelectedResources), maxRemembered)]
	out.Clusters = maps.Clone(s.Clusters)
	limit := max(minRemembered, maxRemembered/max(1, len(s.Clusters)))
	for name, cluster := range s.Clusters {
		cluster.FailedPlacements = someOfEach(cluster.FailedPlacements, limit)
		cluster.DriftedPlacements = cluster.DriftedPlacements[:min(len(cluster.DriftedPlacements), limit)]
		cluster.DiffedPlacements = cluster.DiffedPlacements[:min(len(cluster.DiffedPlacements), limit)]
		out.Clusters[name] = cluster
	}
	return out
}

// someOfEach leaves out failures of which another one has the same type and reason, the last first, until no more are left than the limit or
// all are of different ones.
func someOfEach(all []FailedPlacement, limit int) []FailedPlacement {
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
