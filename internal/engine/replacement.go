package engine

import (
	"cmp"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// After returns the preview of a placement that replaces another one. removal is the preview of the removal of the other placement. On each cluster, the
// objects of removal precede the others. A cluster that only removal has is not picked.
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

// Recreate sets the action "create" for objects that the preview leaves alone or takes over, and that the removal of the replaced placement deletes first.
// removal is the preview of this removal. If the replaced placement has another name, an engine may have previewed these objects as objects of a placement that
// remains.
func (p *Preview) Recreate(removal *Preview) {
	deleted := map[string]map[manifest.Key]bool{}
	for _, cluster := range removal.Clusters {
		deleted[cluster.Name] = map[manifest.Key]bool{}
		for _, o := range cluster.Objects {
			deleted[cluster.Name][o.Key()] = o.Action == takeover.ActionPrune
		}
	}
	for i := range p.Clusters {
		cluster := &p.Clusters[i]
		cluster.Objects = slices.Clone(cluster.Objects)
		for j, o := range cluster.Objects {
			if deleted[cluster.Name][o.Key()] && (o.Action == takeover.ActionLeaveAlone || o.Action == takeover.ActionTakeOver) {
				cluster.Objects[j] = ObjectPreview{Identifier: o.Identifier, Action: takeover.ActionCreate}
			}
		}
	}
}
