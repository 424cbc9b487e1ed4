package kubefleet

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/predict"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// progress is the state of a change on the hub at one moment.
type progress struct {
	// known is true once the hub has responded. The other fields are valid only then.
	known      bool
	generation int64
	status     placement.Status
	// settledContent reports that the status refers to the content and the overrides of the change; see readProgress. otherContent reports that the hub had
	// enough time to collect the content, but its latest content is not the predicted content.
	settledContent, otherContent bool
	// leaving has a text for each cluster that the placement leaves and that still has Works on the hub. The status of a hub does not contain these clusters.
	leaving map[string]string
	// missing are the objects that unavailable workloads refer to and that do not exist on their member.
	missing memberpreview.Missing
	// reports are the reports of the agents, by cluster, as last read from the Works.
	reports map[string]report
	// withheld describes the values and messages that are omitted from the status and the reports. It is nil if nothing is omitted.
	withheld *engine.Withheld
}

func (progress) isExternal(f rolloutChange) bool {
	return f.placement.Spec.Defaulted().Strategy.Type == placement.ExternalStrategy
}

// condition returns the condition of a type in the status of the whole placement. It returns nil if there is no such condition for the generation of the change
// or for a later generation.
func (p progress) condition(conditionType string) *placement.Condition {
	for _, c := range p.status.Conditions {
		if string(placement.ShortType(c.Type)) == conditionType && c.ObservedGeneration >= p.generation {
			return &c
		}
	}
	return nil
}

func (p progress) is(conditionType string) bool {
	c := p.condition(conditionType)
	return c != nil && c.Status == placement.True
}

// stages returns the types of the conditions that must become true after Scheduled.
func stages(f rolloutChange) []string {
	stages := placement.SyncedTypes()
	switch {
	case f.placement.Spec.Defaulted().Strategy.ApplyStrategy.Type == placement.ReportDiff:
		return append(stages, placement.DiffReported)
	case f.options.WaitUntilAvailable:
		return append(stages, placement.Applied, placement.Available)
	default:
		return append(stages, placement.Applied)
	}
}

// isObserved reports whether the status of the hub refers to the change.
func (p progress) isObserved() bool {
	if p.isStopped() {
		return true // the hub has observed the change, and keeps the content that it placed earlier
	}
	scheduled := p.condition(placement.Scheduled)
	return p.settledContent && scheduled != nil && scheduled.Status != placement.Unknown
}

// isDone reports whether the change is complete on the clusters that the hub picks, and on the clusters that the placement leaves. A placement that picks no
// cluster has only the condition Scheduled. If there are fewer clusters than the policy requests, the change is done when it is complete on the picked
// clusters. With strategy External, the change is done when the hub has observed it.
func (p progress) isDone(f rolloutChange) bool {
	if !p.isObserved() || p.isStopped() {
		return false
	}
	if p.isExternal(f) {
		return true // the staged update runs remove the objects from clusters, too
	}
	if len(p.leaving) > 0 || !p.hasPicked() {
		return len(p.leaving) == 0
	}
	return !slices.ContainsFunc(stages(f), func(stage string) bool { return !p.is(stage) })
}

// awaitsPicks reports whether the hub has yet to pick a cluster that the plan shows as picked, for example because the cluster joins the fleet in the same run.
// This only matters for staged update runs: a run fails if the clusters of its stages change. For other strategies, awaitsPicks returns false.
func (p progress) awaitsPicks(f rolloutChange) bool {
	return p.isExternal(f) && slices.ContainsFunc(f.options.Expected.Picked(), func(name string) bool {
		cluster, isKnown := p.status.Clusters[name]
		return !isKnown || !cluster.IsScheduled()
	})
}

func (p progress) hasPicked() bool {
	for _, cluster := range p.status.Clusters {
		if cluster.IsScheduled() {
			return true
		}
	}
	return false
}

// isStopped reports whether the hub cannot resolve the selectors. In that case, the hub does nothing for the placement.
func (p progress) isStopped() bool {
	c := p.condition(placement.Scheduled)
	return c != nil && c.Status == placement.False && c.Reason == hub.InvalidSelectors
}

// isFailing reports whether a cluster has failed, and the change is not in progress on any cluster: each cluster has failed, is complete, or waits for the
// rollout. KubeFleet reports both a failure and a change in progress with the status False, but names objects only for a failure.
func (p progress) isFailing() bool {
	if !p.settledContent || !p.hasPicked() {
		return false
	}
	failed := false
	for name, cluster := range p.status.Clusters {
		if !cluster.IsScheduled() {
			continue
		}
		switch phase := cluster.Phase(); {
		case !p.isCurrent(cluster):
			return false
		case phase == placement.PhaseAvailable, phase == placement.PhaseDiffReported, phase == placement.PhaseApplied:
		case phase == placement.PhaseRolloutNotStarted:
		case phase == placement.PhaseDiffNotReported && p.reports[name].complete:
			failed = true
		case p.lacks(name, cluster), len(cluster.FailedPlacements) > 0 && hasApplyFailure(cluster), phase == placement.PhaseOverriddenFailed, phase == syncFailed:
			failed = true
		default:
			return false
		}
	}
	return failed
}

// lacks reports whether a cluster is not available only because objects that its workloads refer to are missing.
func (p progress) lacks(name string, cluster placement.ClusterStatus) bool {
	return cluster.Phase() == placement.PhaseNotAvailable && p.missing.Explains(name, cluster)
}

// isStalled reports whether the placement that is stored on the hub has failed on a cluster, and is not in progress on any cluster.
func isStalled(found *predict.Prediction) bool {
	stored := found.Fleet.Placement
	if stored == nil {
		return false
	}
	p := progress{known: true, generation: stored.Generation, status: convert.PlacementStatus(stored.Status, stored.Spec.Policy)}
	p.settledContent = !found.ContentChanges && (found.Fleet.AtRest || found.Fleet.Content.Index == p.status.ObservedResourceIndex)
	return p.isFailing()
}

// hasFailedForGood reports whether the change has failed on a cluster, and all failures are permanent: the agents retry, but the retries cannot succeed. It
// returns false while a cluster is in progress or waits for the rollout. Three kinds of failures are permanent: a failure for which conflicts returns true, a
// predicted rejection by an API server, and a missing object that a workload refers to. A failure of an object that is deleted and recreated is always
// temporary, and so is a failure from before a hand-over moved the object. If the status lists maxReported objects for a cluster, hasFailedForGood returns
// false, because the list may be incomplete.
func (p progress) hasFailedForGood(f rolloutChange) bool {
	if !p.isFailing() {
		return false
	}
	for name, cluster := range p.status.Clusters {
		passes := func(failed placement.FailedPlacement) bool {
			return f.moves(name, failed.Key()) || f.handOver.isOutdated(name, failed) || !conflicts(cluster, failed) && !f.rejects(name, failed)
		}
		switch phase := cluster.Phase(); {
		case !cluster.IsScheduled(), phase == placement.PhaseAvailable, phase == placement.PhaseApplied:
		case p.lacks(name, cluster) && len(cluster.FailedPlacements) < maxReported:
		case phase != placement.PhaseNotApplied, len(cluster.FailedPlacements) >= maxReported:
			return false
		case slices.ContainsFunc(cluster.FailedPlacements, passes):
			return false
		}
	}
	return true
}

// mayArrive reports whether objects fail because their kind or their Namespace is missing, and another placement in the same run may still create that kind
// or Namespace.
func (p progress) mayArrive(f rolloutChange) bool {
	if f.options.MayArrive == nil || !p.isFailing() {
		return false
	}
	var kinds []schema.GroupVersionKind
	for name, cluster := range p.status.Clusters {
		for _, failed := range cluster.FailedPlacements {
			if item := f.item(name, failed.Key()); item != nil && (item.Unserved || item.LacksNamespace) {
				kinds = append(kinds, item.GroupVersionKind())
			}
		}
	}
	return len(kinds) > 0 && f.options.MayArrive(kinds)
}

// maxReported is the maximum number of failed objects that the status of a hub contains for a cluster.
const maxReported = 100

// conflicts reports whether an object is not applied because when_to_take_over does not allow a takeover, or because the object differs. A retry of the agent
// does not change this.
func conflicts(cluster placement.ClusterStatus, f placement.FailedPlacement) bool {
	switch f.Condition.Reason {
	case takeover.ReasonNotTakenOver, takeover.ReasonFoundDrifts, takeover.ReasonFoundDriftsInDegradedMode:
		return true
	case takeover.ReasonFailedToTakeOver:
		return slices.ContainsFunc(cluster.DiffedPlacements, func(d placement.DiffedPlacement) bool { return d.Key() == f.Key() })
	default:
		return false
	}
}

// pause returns how long a rollout may show no progress because the hub waits before it updates the next cluster.
func (p progress) pause(f rolloutChange) time.Duration {
	rolling := f.placement.Spec.Defaulted().Strategy.RollingUpdate
	if rolling == nil || !p.has(placement.PhaseRolloutNotStarted) {
		return 0
	}
	return time.Duration(*rolling.UnavailablePeriodSeconds) * time.Second
}

func (p progress) has(phase placement.Phase) bool {
	for _, cluster := range p.status.Clusters {
		if cluster.Phase() == phase {
			return true
		}
	}
	return false
}

// syncFailed is the phase of a cluster for which the hub cannot generate the Works.
const syncFailed placement.Phase = "SyncWorkFailed"

func hasApplyFailure(cluster placement.ClusterStatus) bool {
	return slices.ContainsFunc(cluster.FailedPlacements, func(f placement.FailedPlacement) bool { return f.Condition.Type == placement.Applied })
}

func (p progress) isCurrent(cluster placement.ClusterStatus) bool {
	return !slices.ContainsFunc(cluster.Conditions, func(c placement.Condition) bool { return c.ObservedGeneration < p.generation })
}

// equals reports whether both reads contain the same clusters, and each cluster is in the same phase in both reads.
func (p progress) equals(other progress) bool {
	return p.known == other.known && p.text() == other.text()
}

func (p progress) text() string {
	if !p.known {
		return ""
	}
	var out string
	fields := p.fields()
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		out += fmt.Sprintf("%s=%s ", name, fields[name])
	}
	return out
}

func (p progress) fields() map[string]any {
	out := map[string]any{}
	for name := range p.leaving {
		out[name] = "leaving"
	}
	for name, cluster := range p.status.Clusters {
		out[name] = string(cluster.Phase())
	}
	return out
}
