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
	// settledContent reports that the status refers to the content to be placed. otherContent reports that the hub had enough time to collect the content and
	// collected different content than predicted.
	settledContent, otherContent bool
	// leaving has a text for each cluster that the placement leaves and that still has objects. The status does not contain these clusters.
	leaving map[string]string
	missing memberpreview.Missing
	// reports are by cluster, as last read from the Works. They matter where the agent could not compare all objects.
	reports map[string]report
	// withheld lists the values and messages left out of the status and the reports; nil for none.
	withheld *engine.Withheld
}

func (progress) isExternal(f followed) bool {
	return f.placement.Spec.Defaulted().Strategy.Type == placement.ExternalStrategy
}

// condition returns a condition of the whole placement that is about this change; nil if there is none.
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

// stages returns the conditions that must become true after the scheduling.
func stages(f followed) []string {
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

// isObserved reports whether the status of the hub is about the change.
func (p progress) isObserved() bool {
	if p.isStopped() {
		return true // the hub keeps the content that it placed before
	}
	scheduled := p.condition(placement.Scheduled)
	return p.settledContent && scheduled != nil && scheduled.Status != placement.Unknown
}

// isDone reports whether the hub has nothing left to do for the change, on the clusters that it picks and on those that it leaves. A placement that picks no
// cluster has the condition Scheduled only. A policy that gets fewer clusters than it asks for is done once the placement is on those.
func (p progress) isDone(f followed) bool {
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

func (p progress) hasPicked() bool {
	for _, cluster := range p.status.Clusters {
		if cluster.IsScheduled() {
			return true
		}
	}
	return false
}

// isStopped reports whether the hub does nothing until the placement changes.
func (p progress) isStopped() bool {
	c := p.condition(placement.Scheduled)
	return c != nil && c.Status == placement.False && c.Reason == hub.InvalidSelectors
}

// isFailing reports whether each cluster that is not done has a failure that waiting does not fix. The failure must be about this change, and the change must
// not be in progress there. KubeFleet reports both as False, but names objects only for a failure.
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

// lacks reports whether a cluster is not available only because objects are missing.
func (p progress) lacks(name string, cluster placement.ClusterStatus) bool {
	return cluster.Phase() == placement.PhaseNotAvailable && p.missing.Explains(name, cluster)
}

// isStalled reports whether nothing is in progress for the stored placement, and a failure keeps it from being complete.
func isStalled(found *predict.Prediction) bool {
	stored := found.Fleet.Placement
	if stored == nil {
		return false
	}
	p := progress{known: true, generation: stored.Generation, status: convert.PlacementStatus(stored.Status, stored.Spec.Policy)}
	p.settledContent = !found.ContentChanges && (found.Fleet.AtRest || found.Fleet.Content.Index == p.status.ObservedResourceIndex)
	return p.isFailing()
}

// hasFailedForGood reports whether no cluster is in progress or waits for the rollout, and no failure can be resolved by a retry of the agent. A failure of
// an object that moves is temporary, because the next attempt deletes the object. An API server can accept at the next attempt what it rejects now, unless
// the plan has predicted the rejection.
func (p progress) hasFailedForGood(f followed) bool {
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

// mayArrive reports whether objects fail because their kind or their Namespace is missing, and another placement in the same run may still create it.
func (p progress) mayArrive(f followed) bool {
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

// maxReported is the number of objects of a cluster that the status of a hub is limited to.
const maxReported = 100

// conflicts reports whether an object is not applied because the mode does not take it over, or because it differs. Waiting for the agent does not change
// that.
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
func (p progress) pause(f followed) time.Duration {
	rolling := f.placement.Spec.Defaulted().Strategy.RollingUpdate
	if rolling == nil || !p.has(placement.PhaseRolloutNotStarted) {
		return 0
	}
	return time.Duration(*rolling.UnavailablePeriodSeconds) * time.Second
}

// has reports whether a cluster is in a phase.
func (p progress) has(phase placement.Phase) bool {
	for _, cluster := range p.status.Clusters {
		if cluster.Phase() == phase {
			return true
		}
	}
	return false
}

// syncFailed is the reason on a cluster for which the hub cannot generate the Works.
const syncFailed placement.Phase = "SyncWorkFailed"

func hasApplyFailure(cluster placement.ClusterStatus) bool {
	return slices.ContainsFunc(cluster.FailedPlacements, func(f placement.FailedPlacement) bool { return f.Condition.Type == placement.Applied })
}

// isCurrent reports whether the conditions of a cluster are about this change.
func (p progress) isCurrent(cluster placement.ClusterStatus) bool {
	return !slices.ContainsFunc(cluster.Conditions, func(c placement.Condition) bool { return c.ObservedGeneration < p.generation })
}

// equals reports whether nothing has changed between two reads.
func (p progress) equals(other progress) bool {
	return p.known == other.known && p.text() == other.text()
}

// text returns the phase of every cluster in one line.
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
		out[name] = "is left"
	}
	for name, cluster := range p.status.Clusters {
		out[name] = string(cluster.Phase())
	}
	return out
}
