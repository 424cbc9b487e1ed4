package kubefleet

import (
	"context"
	"maps"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/predict"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// finish returns the result of a change. If the status of a cluster does not show which of its objects are applied, finish first reads the agents' reports. It
// reads them even if the timeout of the apply has expired.
func (e *Engine) finish(ctx context.Context, f rolloutChange, last progress, timedOut bool) *engine.Result {
	if slices.ContainsFunc(f.writes, func(w predict.Write) bool { return last.needsReport(f, w) }) {
		asking, cancel := context.WithTimeout(context.WithoutCancel(ctx), finalReadTimeout)
		defer cancel()
		if reports, err := e.reports(asking, f.placement); err == nil {
			last.reports = reports
		}
	}
	return e.result(ctx, f, last, timedOut)
}

// result returns the result of a change without sensitive values.
func (e *Engine) result(ctx context.Context, f rolloutChange, last progress, timedOut bool) *engine.Result {
	asking, cancel := context.WithTimeout(context.WithoutCancel(ctx), finalReadTimeout)
	defer cancel()
	return e.conceal(asking, f.placement.Reference, last).result(f, timedOut)
}

// objects returns the objects that failed, are not available or could not be compared, and the predicted changes that the hub reports as made. A hub does not
// report whether an agent created, updated or took over an object. The returned action is therefore the one that was predicted immediately before the write.
func (p progress) objects(f rolloutChange, status placement.Status) []engine.ObjectResult {
	type onCluster struct {
		cluster string
		object  manifest.Key
	}
	made := map[onCluster]engine.ObjectResult{}
	for _, w := range f.writes {
		if p.isMade(f, w) {
			made[onCluster{w.Cluster, w.Key()}] = w.Result()
		}
	}
	var out []engine.ObjectResult
	for _, name := range slices.Sorted(maps.Keys(status.Clusters)) {
		for _, failed := range status.Clusters[name].FailedPlacements {
			one, at := objectResult(name, failed), onCluster{name, failed.Key()}
			if one.Action == takeover.ActionLeaveAlone && f.handOver.isLost(name, failed.Key()) {
				one.Obstacle = takeover.ObstacleNotAgreed // the plan shows a hand-over
			}
			if one.Waiting != nil {
				one.Action, one.Missing = takeover.ActionNone, p.missing[name][failed.Key()]
				if write, found := made[at]; found {
					one.Action, one.Owner = write.Action, write.Owner
					delete(made, at)
				}
			}
			out = append(out, one)
		}
		for _, failed := range p.reports[name].failed {
			out = append(out, engine.ObjectResult{
				Cluster: name, Identifier: failed.Identifier, Action: takeover.ActionReport, Obstacle: takeover.ObstacleNotCompared, Failure: &failed.Condition,
			})
		}
	}
	for _, w := range f.writes {
		if write, found := made[onCluster{w.Cluster, w.Key()}]; found {
			out = append(out, write)
		}
	}
	return out
}

// isMade reports whether the hub reports a predicted change as made. On a cluster that the placement leaves, a removal is made when the placement no longer has
// a Work for this cluster.
func (p progress) isMade(f rolloutChange, w predict.Write) bool {
	cluster, report := p.status.Clusters[w.Cluster], p.reports[w.Cluster]
	switch {
	case p.isExternal(f) || p.isStopped() || !p.isObserved():
		return false
	case !cluster.IsScheduled():
		_, was := f.leaving[w.Cluster]
		_, is := p.leaving[w.Cluster]
		return w.Removes && was && !is
	case !p.areTrue(cluster, placement.SyncedTypes()...):
		return false
	case w.WithWork:
		return report.complete && !report.leaving
	case p.areTrue(cluster, placement.Applied):
		return true
	case w.Removes: // an agent reports on a Work after it has removed the objects that left the Work
		return report.complete
	default:
		return report.complete && (report.applied[w.Key()] || isDrifted(cluster, w.Key()))
	}
}

// needsReport reports whether only the report of the agent, and not the status, can show that a predicted change is made.
func (p progress) needsReport(f rolloutChange, w predict.Write) bool {
	cluster := p.status.Clusters[w.Cluster]
	return !p.isExternal(f) && !p.isStopped() && p.isObserved() && p.areTrue(cluster, placement.SyncedTypes()...) &&
		(w.WithWork || !p.areTrue(cluster, placement.Applied))
}

func (p progress) areTrue(cluster placement.ClusterStatus, conditionTypes ...string) bool {
	for _, conditionType := range conditionTypes {
		c, found := cluster.Condition(conditionType)
		if !found || c.Status != placement.True || c.ObservedGeneration < p.generation {
			return false
		}
	}
	return true
}

// isDrifted reports whether an agent has found drifts in an object. An agent looks for drifts only in objects to which it has applied the current manifest.
func isDrifted(cluster placement.ClusterStatus, object manifest.Key) bool {
	return slices.ContainsFunc(cluster.FailedPlacements, func(f placement.FailedPlacement) bool { return f.Key() == object && drifted(f) })
}

func drifted(f placement.FailedPlacement) bool {
	return f.Condition.Reason == takeover.ReasonFoundDrifts || f.Condition.Reason == takeover.ReasonFoundDriftsInDegradedMode
}

// objectResult returns the result for an object that failed or is not available. The action and the obstacle follow from KubeFleet's reason.
func objectResult(cluster string, failed placement.FailedPlacement) engine.ObjectResult {
	out := engine.ObjectResult{Cluster: cluster, Identifier: failed.Identifier, Action: takeover.ActionUpdate}
	if failed.Condition.Type == placement.Available {
		out.Waiting = &failed.Condition
		return out
	}
	out.Failure = &failed.Condition
	switch {
	case failed.Condition.Reason == takeover.ReasonNotTakenOver:
		out.Action, out.Obstacle = takeover.ActionLeaveAlone, takeover.ObstacleMode
	case failed.Condition.Reason == takeover.ReasonFailedToTakeOver:
		out.Action, out.Obstacle = takeover.ActionLeaveAlone, takeover.ObstacleDifferences
	case drifted(failed):
		out.Action, out.Obstacle = takeover.ActionLeaveDrifted, takeover.ObstacleDifferences
	default:
		out.Action, out.Obstacle = takeover.ActionReject, takeover.ObstacleAdmission
	}
	return out
}
