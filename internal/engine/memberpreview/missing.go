package memberpreview

import (
	"context"
	"maps"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/rollout"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// SetMissing sets the missing objects of each placed workload: objects that its Pods need, and that will not be on the cluster. It checks workloads whose
// write creates new Pods, and workloads that are not available. It omits objects that cannot be read, and objects that a placed object may create. others are
// the objects that are no longer placed; those that the plan deletes count as missing. SetMissing does nothing in an apply, without dry runs, and under
// strategy type ReportDiff.
func (m *Member) SetMissing(ctx context.Context, placed, others []*Object) {
	if !m.DryRun || m.Applying || m.isReportDiff() {
		return
	}
	isPlaced := map[manifest.Key]bool{}
	for _, o := range placed {
		isPlaced[o.Key()] = true
	}
	neededBy := map[manifest.Identifier][]*Object{}
	for _, o := range placed {
		if !m.needsPods(o) {
			continue
		}
		for _, id := range workload.Required(o.Desired) {
			if !isPlaced[id.Key()] && !mayCreate(placed, id) {
				neededBy[id] = append(neededBy[id], o)
			}
		}
	}
	pruned := map[manifest.Key]bool{}
	for _, o := range others {
		pruned[o.Key()] = o.Action == takeover.ActionPrune
	}
	ids := slices.SortedFunc(maps.Keys(neededBy), func(a, b manifest.Identifier) int { return a.Key().Compare(b.Key()) })
	isAbsent := func(id manifest.Identifier) bool { return pruned[id.Key()] || m.arriving[id.Namespace] }
	for _, id := range findAbsent(ctx, m.Cluster, ids, isAbsent) {
		for _, o := range neededBy[id] {
			o.Missing = append(o.Missing, id)
		}
	}
}

// needsPods reports whether Pods of an object must still start before the object is available.
func (m *Member) needsPods(o *Object) bool {
	switch o.Action {
	case takeover.ActionCreate:
		return true
	case takeover.ActionUpdate, takeover.ActionTakeOver, takeover.ActionTakeOverFrom:
		if o.Restart.Outcome() == workload.RestartRollout {
			return true
		}
		availability, _ := rollout.AvailabilityOf(o.Live, o.Mapping.GVR.Resource)
		return availability == rollout.NotYet || availability == rollout.Failed
	case takeover.ActionNone:
		return o.Desired != nil && m.Unavailable[o.Key()]
	case takeover.ActionLeaveAlone, takeover.ActionLeaveDrifted, takeover.ActionReject, takeover.ActionReplace, takeover.ActionReport, takeover.ActionPrune,
		takeover.ActionOrphan, takeover.ActionHandOver, takeover.ActionDefer, takeover.ActionUnknown:
	}
	return false
}

// mayCreate reports whether one of the placed objects may create another object on the cluster.
func mayCreate(placed []*Object, id manifest.Identifier) bool {
	return slices.ContainsFunc(placed, func(o *Object) bool { return o.Desired != nil && workload.MayCreate(o.Desired, id) })
}

// missingTime is the timeout of the check for missing objects on a cluster. It is short, because a plan waits for each cluster for a limited
// time in total.
const missingTime = 3 * time.Second

// ArrivalTime is how long an apply waits for workloads with a missing object: another placement of the same run may be about to create the object.
const ArrivalTime = 3 * time.Second

// findAbsent returns the objects that are known to be absent on a cluster, in the order of ids. Objects for which isAbsent returns true count as absent
// without a read. An object that cannot be read in time does not count as absent. findAbsent reads only metadata, so that the content of a Secret never
// leaves the cluster.
func findAbsent(ctx context.Context, cluster *kube.Cluster, ids []manifest.Identifier, isAbsent func(manifest.Identifier) bool) []manifest.Identifier {
	ctx, cancel := context.WithTimeout(ctx, missingTime)
	defer cancel()
	absent := make([]bool, len(ids))
	var group errgroup.Group
	group.SetLimit(kube.MaxParallel)
	for i, id := range ids {
		if absent[i] = isAbsent(id); absent[i] {
			continue
		}
		group.Go(func() error {
			_, err := cluster.GetMetadata(ctx, kube.Ref{GVK: id.GroupVersionKind(), Namespace: id.Namespace, Name: id.Name})
			absent[i] = kube.IsNotFound(err)
			return nil
		})
	}
	_ = group.Wait()
	var out []manifest.Identifier
	for i, id := range ids {
		if absent[i] {
			out = append(out, id)
		}
	}
	return out
}

// StillMissing returns the objects that the Pods of a workload need and that are known to be absent now. It returns nil without a check if the plan did not
// show that the workload lacks objects.
func StillMissing(ctx context.Context, cluster *kube.Cluster, expected *engine.Expectation, o *Object) []manifest.Identifier {
	if o == nil || o.Desired == nil || !expected.ShowsMissing(cluster.Name(), o.Key()) {
		return nil
	}
	return findAbsent(ctx, cluster, workload.Required(o.Desired), func(manifest.Identifier) bool { return false })
}

// Missing are the absent objects that the Pods of workloads need, by cluster and workload.
type Missing map[string]map[manifest.Key][]manifest.Identifier

// FindMissing calls [StillMissing] for the unavailable objects of a status. A hub reports only that these objects are not available. find returns an object
// with its desired content, or nil. Clusters without a connection are omitted.
func FindMissing(
	ctx context.Context, clusters *clusterset.Set, status placement.Status, expected *engine.Expectation, find func(cluster string, object manifest.Key) *Object,
) Missing {
	out := Missing{}
	for name, cluster := range status.Clusters {
		member, err := clusters.Member(name)
		if err != nil {
			continue
		}
		out[name] = map[manifest.Key][]manifest.Identifier{}
		for object := range cluster.Unavailable() {
			if missing := StillMissing(ctx, member, expected, find(name, object)); len(missing) > 0 {
				out[name][object] = missing
			}
		}
	}
	return out
}

// Explains reports whether missing objects are the only reason why a cluster is not available.
func (m Missing) Explains(name string, cluster placement.ClusterStatus) bool {
	return len(cluster.FailedPlacements) > 0 && !slices.ContainsFunc(cluster.FailedPlacements, func(f placement.FailedPlacement) bool {
		return m[name][f.Key()] == nil
	})
}
