package engine

import (
	"cmp"
	"slices"
)

// After returns the preview of a placement that replaces another one, with the removal of the other one before it on each cluster. A cluster that
// only the removal changes is not picked.
func (p *Preview) After(removal *Preview) *Preview {
	out := *p
	out.Clusters = slices.Clone(p.Clusters)
	for _, removed := range removal.Clusters {
		if len(removed.Objects) == 0 && removed.Err == nil {
			continue
		}
		i := slices.IndexFunc(out.Clusters, func(c ClusterPreview) bool { return c.Name == removed.Name })
		if i < 0 {
			removed.Picked = false
			out.Clusters = append(out.Clusters, removed)
			continue
		}
		cluster := &out.Clusters[i]
		cluster.Objects = slices.Concat(removed.Objects, cluster.Objects)
		if cluster.Err == nil {
			cluster.Err = removed.Err
		}
	}
	slices.SortFunc(out.Clusters, func(a, b ClusterPreview) int { return cmp.Compare(a.Name, b.Name) })
	return &out
}
