package fakekubefleet

import (
	"cmp"
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/rollout"
)

// report is an agent's report of a Work.
type report struct {
	uid        types.UID
	generation int64
	// began and finished are when the agent began to apply the Work, and when it finished.
	began, finished time.Time
	objects         int
	untracked       int
	applied         []manifest.Identifier
	failed          []placement.FailedPlacement
	waiting         []placement.FailedPlacement
	diffed          []placement.DiffedPlacement
	drifted         []placement.DriftedPlacement
}

// summary is the agent's report of all Works of a binding. missing is the number of Works whose current generation has no report, and 1 if there are no Works.
type summary struct {
	report
	missing int
}

// sum combines the reports of the agent of a binding's cluster.
func (h *Hub) sum(l *round, b wire.ClusterResourceBinding) summary {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out summary
	works := l.worksOf(l.of(), b.Spec.TargetCluster)
	if len(works) == 0 {
		out.missing = 1
	}
	for _, w := range works {
		r, found := h.reports[types.NamespacedName{Namespace: w.Namespace, Name: w.Name}]
		if !found || r.uid != w.UID || r.generation != w.Generation || w.DeletionTimestamp != nil {
			out.missing++
			continue
		}
		out.objects += r.objects
		out.untracked += r.untracked
		out.failed = append(out.failed, r.failed...)
		out.waiting = append(out.waiting, r.waiting...)
		out.diffed = append(out.diffed, r.diffed...)
		out.drifted = append(out.drifted, r.drifted...)
	}
	return out
}

// storeReport stores an agent's report.
func (h *Hub) storeReport(w wire.Work, r report) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r.uid, r.generation, r.finished = w.UID, w.Generation, time.Now()
	h.reports[types.NamespacedName{Namespace: w.Namespace, Name: w.Name}] = r
	h.call("")
}

// writePlacementStatus writes the status of a placement and of its bindings.
func (h *Hub) writePlacementStatus(ctx context.Context, l *round) (wrote bool, err error) {
	outcome, err := l.decide()
	if err != nil {
		return false, nil //nolint:nilerr // KubeFleet does not change the status
	}
	var step rollout.Step
	if l.spec.Strategy.Type != placement.ExternalStrategy {
		if step, err = h.step(l); err != nil {
			return false, err
		}
	}
	var clusters []placement.ClusterOutcome
	var unfilled []wire.PerClusterPlacementStatus
	for _, b := range l.bindings {
		if b.DeletionTimestamp == nil && b.Spec.State != wire.BindingStateUnscheduled {
			one := h.outcome(l, b, step)
			clusters = append(clusters, one)
			if err := h.tellBinding(ctx, l, b, one); err != nil {
				return false, err
			}
		}
	}
	slices.SortFunc(clusters, func(a, b placement.ClusterOutcome) int { return cmp.Compare(a.Name, b.Name) })
	for _, d := range outcome.Decisions {
		if !d.Selected && len(unfilled) < max(0, outcome.Wanted-len(clusters)) && l.spec.Policy.PlacementType != placement.PickAll {
			unfilled = append(unfilled, wire.PerClusterPlacementStatus{Conditions: []metav1.Condition{{
				Type: placement.Scheduled, Status: metav1.ConditionFalse, Reason: string(placement.PhaseScheduleFailed), Message: d.Reason,
				ObservedGeneration: l.crp.Generation,
			}}})
		}
	}
	status := placement.NewStatus(l.crp.Namespace, l.mind.content.Selected, clusters, outcome.Fulfilled, l.index, l.crp.Generation)
	return h.writeStatus(ctx, l, fromStatus(status, unfilled))
}

// outcome returns the status of one cluster.
func (h *Hub) outcome(l *round, b wire.ClusterResourceBinding, step rollout.Step) placement.ClusterOutcome {
	name := b.Spec.TargetCluster
	out := placement.ClusterOutcome{
		Name: name, Scheduled: true, Reason: b.Spec.ClusterDecision.Reason, ResourceIndex: l.index,
		Reporting: l.spec.Strategy.ApplyStrategy.Type == placement.ReportDiff,
	}
	if b.Spec.State != wire.BindingStateBound || !l.current(b) {
		out.Held = placement.NotStarted(step.Waiting[name])
		return out
	}
	return h.reached(l, b, out)
}

// reached adds the status of a cluster that the rollout has reached.
func (h *Hub) reached(l *round, b wire.ClusterResourceBinding, out placement.ClusterOutcome) placement.ClusterOutcome {
	_, applied, err := l.worksFor(b.Spec.TargetCluster)
	if err != nil {
		out.OverrideFailed = err.Error()
		return out
	}
	for _, o := range applied {
		if o.Namespace == "" {
			out.ClusterResourceOverrides = append(out.ClusterResourceOverrides, l.seen.Names[o])
		} else {
			out.ResourceOverrides = append(out.ResourceOverrides, placement.NamespacedName{Namespace: o.Namespace, Name: l.seen.Names[o]})
		}
	}
	sum := h.sum(l, b)
	out.Objects, out.Failed, out.Waiting, out.Untracked = sum.objects, sum.failed, sum.waiting, sum.untracked
	out.Diffed, out.Drifted = sum.diffed, sum.drifted
	if sum.missing > 0 {
		out.Failed, out.Pending = nil, sum.missing
		if out.Reporting {
			out.Unreachable = "the agent has not reported yet"
		}
	}
	return out
}

// refuse writes a status that reports invalid selectors, and changes nothing else.
func (h *Hub) refuse(ctx context.Context, l *round) (wrote bool, err error) {
	status := l.crp.Status
	status.Conditions = with(status.Conditions, metav1.Condition{
		Type: placement.ConditionPrefix(l.crp.Namespace) + placement.Scheduled, Status: metav1.ConditionFalse, Reason: hub.InvalidSelectors,
		Message: "The resource selectors are invalid: " + l.mind.err.Error(),
	}, l.crp.Generation, metav1.Now())
	return h.writeStatus(ctx, l, status)
}

// writeStatus writes a status if it has changed. Conditions keep the time at which they got their status.
func (h *Hub) writeStatus(ctx context.Context, l *round, status wire.PlacementStatus) (wrote bool, err error) {
	before := map[string][]metav1.Condition{}
	for _, s := range l.crp.Status.PlacementStatuses {
		before[s.ClusterName] = s.Conditions
	}
	now := metav1.NewTime(time.Now().Truncate(time.Second))
	since(status.Conditions, l.crp.Status.Conditions, now)
	for i := range status.PlacementStatuses {
		s := &status.PlacementStatuses[i]
		since(s.Conditions, before[s.ClusterName], now)
		for j := range s.FailedPlacements {
			if c := &s.FailedPlacements[j].Condition; c.LastTransitionTime.IsZero() {
				c.LastTransitionTime = failedSince(l.crp.Status, s.ClusterName, s.FailedPlacements[j], now)
			}
		}
	}
	same, err := equal(status, l.crp.Status)
	if same || err != nil {
		return false, err
	}
	content, err := fields(status, "selectedResources", "observedResourceIndex", "placementStatuses", "conditions")
	if err != nil {
		return false, err
	}
	return true, h.patch(ctx, hub.KindsOf(l.of()).Placement, l.crp.Namespace, l.crp.Name, "status", map[string]any{"status": content})
}

func equal(a, b wire.PlacementStatus) (bool, error) {
	var trees [2]any
	for i, s := range []wire.PlacementStatus{a, b} {
		data, err := json.Marshal(s)
		if err != nil {
			return false, err
		}
		if err := json.Unmarshal(data, &trees[i]); err != nil {
			return false, err
		}
	}
	return reflect.DeepEqual(trees[0], trees[1]), nil
}

func since(list, before []metav1.Condition, now metav1.Time) {
	for i := range list {
		if !list[i].LastTransitionTime.IsZero() {
			continue
		}
		list[i].LastTransitionTime = now
		for _, c := range before {
			if c.Type == list[i].Type && c.Status == list[i].Status {
				list[i].LastTransitionTime = c.LastTransitionTime
			}
		}
	}
}

// failedSince returns when a status first reported an object as failed on a cluster, or now if it does not.
func failedSince(s wire.PlacementStatus, cluster string, failed wire.FailedResourcePlacement, now metav1.Time) metav1.Time {
	for _, entry := range s.PlacementStatuses {
		for _, f := range entry.FailedPlacements {
			if entry.ClusterName == cluster && reflect.DeepEqual(f.ResourceIdentifier, failed.ResourceIdentifier) {
				return f.Condition.LastTransitionTime
			}
		}
	}
	return now
}
