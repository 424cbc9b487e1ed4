package memberpreview

import (
	"context"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/rollout"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// findMissing notes of each workload which objects its Pods need that are neither on the cluster nor placed there. It checks workloads whose write makes
// new Pods, and those that were not available when they were seen last. It leaves out what cannot be read, and what may be created by something that is
// placed.
func (m *Member) findMissing(ctx context.Context, placed []*Object) {
	if !m.DryRun || m.Applying || m.reports() {
		return
	}
	given := map[manifest.Key]bool{}
	for _, o := range placed {
		given[o.Key()] = true
	}
	neededBy := map[manifest.Identifier][]*Object{}
	for _, o := range placed {
		if !m.needsPods(o) {
			continue
		}
		for _, id := range workload.Required(o.Desired) {
			if !given[id.Key()] && !mayCome(placed, id) {
				neededBy[id] = append(neededBy[id], o)
			}
		}
	}
	absent := m.absent(ctx, neededBy)
	for id, needed := range neededBy {
		for _, o := range needed {
			if absent[id] {
				o.Missing = append(o.Missing, id)
			}
		}
	}
	for _, o := range placed {
		slices.SortFunc(o.Missing, func(a, b manifest.Identifier) int { return a.Key().Compare(b.Key()) })
	}
}

// needsPods reports whether an object does not become available unless new Pods of it start.
func (m *Member) needsPods(o *Object) bool {
	switch o.Action {
	case takeover.ActionCreate:
		return true
	case takeover.ActionUpdate, takeover.ActionTakeOver:
		if o.Restart.Outcome() == workload.RestartRollout {
			return true
		}
		availability, _ := rollout.AvailabilityOf(o.Live, o.Mapping.GVR.Resource)
		return availability == rollout.NotYet || availability == rollout.Failed
	case takeover.ActionNone:
		return o.Desired != nil && m.Unavailable[o.Key()]
	case takeover.ActionLeaveAlone, takeover.ActionLeaveDrifted, takeover.ActionReject, takeover.ActionReplace, takeover.ActionReport, takeover.ActionPrune,
		takeover.ActionOrphan, takeover.ActionDefer, takeover.ActionUnknown:
	}
	return false
}

// mayCome reports whether one of the objects may have another object created on the cluster.
func mayCome(placed []*Object, id manifest.Identifier) bool {
	return slices.ContainsFunc(placed, func(o *Object) bool { return o.Desired != nil && workload.MayCreate(o.Desired, id) })
}

// absent returns the objects that the cluster is known not to have. Nothing has to be asked about a Namespace that the placement creates.
func (m *Member) absent(ctx context.Context, ids map[manifest.Identifier][]*Object) map[manifest.Identifier]bool {
	out, ask := map[manifest.Identifier]bool{}, []manifest.Identifier{}
	for id := range ids {
		if m.arriving[id.Namespace] {
			out[id] = true
		} else {
			ask = append(ask, id)
		}
	}
	for _, id := range absent(ctx, m.Cluster, ask) {
		out[id] = true
	}
	return out
}

// Missing returns the objects that the Pods of an object need and that the cluster is known not to have.
func Missing(ctx context.Context, cluster *kube.Cluster, o *Object) []manifest.Identifier {
	return absent(ctx, cluster, workload.Required(o.Desired))
}

// absent reads metadata alone, so that the content of a Secret never leaves the cluster. An object that cannot be read is not known to be absent.
func absent(ctx context.Context, cluster *kube.Cluster, ids []manifest.Identifier) []manifest.Identifier {
	var mu sync.Mutex
	var out []manifest.Identifier
	var group errgroup.Group
	group.SetLimit(objectsAtOnce)
	for _, id := range ids {
		group.Go(func() error {
			if _, err := cluster.GetMetadata(ctx, kube.Ref{GVK: id.GroupVersionKind(), Namespace: id.Namespace, Name: id.Name}); kube.IsNotFound(err) {
				mu.Lock()
				defer mu.Unlock()
				out = append(out, id)
			}
			return nil
		})
	}
	_ = group.Wait()
	slices.SortFunc(out, func(a, b manifest.Identifier) int { return a.Key().Compare(b.Key()) })
	return out
}
