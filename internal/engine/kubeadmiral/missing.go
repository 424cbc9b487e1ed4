package kubeadmiral

import (
	"context"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// onCluster is an object on a cluster.
type onCluster struct {
	cluster string
	object  key
}

// findMissing finds out which workloads do not become available because an object is missing, as the plan has shown. The host reports only that they are
// not available.
func (w *writing) findMissing(ctx context.Context, status placement.Status) {
	w.missing = map[onCluster][]manifest.Identifier{}
	for name, cluster := range status.Clusters {
		for object := range cluster.Unavailable() {
			item := w.item(name, object)
			member, err := w.engine.clusters.Member(name)
			if item == nil || err != nil || !w.options.Expected.ShowsMissing(name, object) {
				continue
			}
			if missing := memberpreview.Missing(ctx, member, item); len(missing) > 0 {
				w.missing[onCluster{name, object}] = missing
			}
		}
	}
}

// lacks reports whether a cluster is not available only because objects are missing, as the plan has shown.
func (w *writing) lacks(name string, cluster placement.ClusterStatus) bool {
	return len(cluster.FailedPlacements) > 0 && !slices.ContainsFunc(cluster.FailedPlacements, func(f placement.FailedPlacement) bool {
		return w.missing[onCluster{name, f.Key()}] == nil
	})
}
