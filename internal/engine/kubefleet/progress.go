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

// progress is where a change is.
type progress struct {
	// known says that the hub was asked; nothing else means anything without.
	known      bool
	generation int64
	status     placement.Status
	// settledContent says that the status is about the content that is to be placed; otherContent that the hub has had the time to collect it and has
	// another one than was foreseen.
	settledContent, otherContent bool
	// leaving are the clusters that the placement is to leave and that are not clean yet, of which the status says nothing, with what is told of each.
	leaving map[string]string
	missing memberpreview.Missing
	// reports are by cluster, from when they were last asked for: where not all objects could be compared.
	reports map[string]report
	// withheld are the values and messages that the status and the reports lack; nil for none.
	withheld *engine.Withheld
}

func (progress) external(f followed) bool {
	return f.placement.Spec.Defaulted().Strategy.Type == placement.ExternalStrategy
}

// condition is a condition of the placement as a whole that is about this change; nil if there is none.
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

// stages are the conditions that have to come true after the scheduling.
func stages(f followed) []string {
	stages := []string{placement.RolloutStarted, placement.Overridden, placement.WorkSynchronized}
	switch {
	case f.placement.Spec.Defaulted().Strategy.ApplyStrategy.Type == placement.ReportDiff:
		return append(stages, placement.DiffReported)
	case f.options.WaitUntilAvailable:
		return append(stages, placement.Applied, placement.Available)
	default:
		return append(stages, placement.Applied)
	}
}

// heard tells whether what the hub says is about the change.
func (p progress) heard() bool {
	if p.stopped() {
		return true // the hub leaves the content as it was
	}
	scheduled := p.condition(placement.Scheduled)
	return p.settledContent && scheduled != nil && scheduled.Status != placement.Unknown
}

// done tells whether the hub has nothing left to do for the change, neither on the clusters that it picks nor on those that it leaves. A placement
// that comes to no cluster has no more conditions than that it is scheduled. A policy that gets fewer clusters than it asks for is done with those
// that it got.
func (p progress) done(f followed) bool {
	if !p.heard() || p.stopped() {
		return false
	}
	if p.external(f) {
		return true // whoever runs the updates lets go of clusters, too
	}
	if len(p.leaving) > 0 || !p.picked() {
		return len(p.leaving) == 0
	}
	return !slices.ContainsFunc(stages(f), func(stage string) bool { return !p.is(stage) })
}

func (p progress) picked() bool {
	for _, cluster := range p.status.Clusters {
		if cluster.IsScheduled() {
			return true
		}
	}
	return false
}

// stopped tells whether the hub does nothing more before somebody changes something.
func (p progress) stopped() bool {
	c := p.condition(placement.Scheduled)
	return c != nil && c.Status == placement.False && c.Reason == hub.InvalidSelectors
}

// failing tells whether every cluster that is not done has a failure that does not pass by waiting: what it says is about this change, and is not
// that it is on its way. KubeFleet tells both as False; what has failed names objects.
func (p progress) failing() bool {
	if !p.settledContent || !p.picked() {
		return false
	}
	failed := false
	for name, cluster := range p.status.Clusters {
		if !cluster.IsScheduled() {
			continue
		}
		switch phase := cluster.Phase(); {
		case !p.current(cluster):
			return false
		case phase == placement.PhaseAvailable, phase == placement.PhaseDiffReported, phase == placement.PhaseApplied:
		case phase == placement.PhaseRolloutNotStarted:
		case phase == placement.PhaseDiffNotReported && p.reports[name].complete:
			failed = true
		case p.lacks(name, cluster), len(cluster.FailedPlacements) > 0 && refused(cluster), phase == placement.PhaseOverriddenFailed, phase == syncFailed:
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

// stalled reports whether nothing is in progress for the stored placement, and a failure keeps it from being complete.
func stalled(found *predict.Prediction) bool {
	stored := found.Fleet.Placement
	if stored == nil {
		return false
	}
	p := progress{known: true, generation: stored.Generation, status: convert.PlacementStatus(stored.Status, stored.Spec.Policy)}
	p.settledContent = !found.ContentChanges && (found.Fleet.AtRest || found.Fleet.Content.Index == p.status.ObservedResourceIndex)
	return p.failing()
}

// hopeless tells whether the change has failed for good: no cluster is on its way, or may still be come to, and what has failed comes out the
// same however often an agent tries it. What moves is not there any more the next time. What an API server rejects may be accepted then, unless the
// plan has shown that it is rejected.
func (p progress) hopeless(f followed) bool {
	if !p.failing() {
		return false
	}
	for name, cluster := range p.status.Clusters {
		passes := func(failed placement.FailedPlacement) bool {
			return f.moves(name, failed.Key()) || f.handOver.outdated(name, failed) || !conflicts(cluster, failed) && !f.rejects(name, failed)
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

// mayArrive reports whether objects fail because their kind or their Namespace is missing, and another placement of the run may still bring it.
func (p progress) mayArrive(f followed) bool {
	if f.options.MayArrive == nil || !p.failing() {
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

// maxReported is how many objects of a cluster a hub tells of.
const maxReported = 100

// conflicts reports whether an object is not applied because the mode does not take it over, or because it differs. To wait for the agent changes
// nothing.
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

// pause is how long nothing may move because the hub waits before it comes to the next cluster.
func (p progress) pause(f followed) time.Duration {
	rolling := f.placement.Spec.Defaulted().Strategy.RollingUpdate
	if rolling == nil || !p.has(placement.PhaseRolloutNotStarted) {
		return 0
	}
	return time.Duration(*rolling.UnavailablePeriodSeconds) * time.Second
}

// has tells whether a cluster is in a phase.
func (p progress) has(phase placement.Phase) bool {
	for _, cluster := range p.status.Clusters {
		if cluster.Phase() == phase {
			return true
		}
	}
	return false
}

// syncFailed is the reason of a cluster whose content the hub cannot put together.
const syncFailed placement.Phase = "SyncWorkFailed"

func refused(cluster placement.ClusterStatus) bool {
	return slices.ContainsFunc(cluster.FailedPlacements, func(f placement.FailedPlacement) bool { return f.Condition.Type == placement.Applied })
}

// current tells whether what a cluster says is about this change.
func (p progress) current(cluster placement.ClusterStatus) bool {
	return !slices.ContainsFunc(cluster.Conditions, func(c placement.Condition) bool { return c.ObservedGeneration < p.generation })
}

// same tells whether nothing has moved.
func (p progress) same(other progress) bool {
	return p.known == other.known && p.text() == other.text()
}

// text is where every cluster stands, in a line.
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
