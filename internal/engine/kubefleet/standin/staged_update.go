package standin

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/stagedupdate"
)

// updateRun is one look at a run.
type updateRun struct {
	*lookAt
	run   wire.ClusterStagedUpdateRun
	kinds hub.StagedKinds
	// before is the status as it is on the hub, status what the run is told to be; what does not change keeps its time.
	before []byte
	status wire.StagedUpdateRunStatus
}

// run takes a run of a placement a step further. One of a placement that is not there stays as it is, where a hub's would fail: tests play the
// hub's part for such.
func (h *Hub) run(ctx context.Context, v *view, run wire.ClusterStagedUpdateRun) (wrote bool, err error) {
	i := slices.IndexFunc(v.placements, func(p wire.ClusterResourcePlacement) bool {
		return p.Namespace == run.Namespace && p.Name == run.Spec.PlacementName && p.DeletionTimestamp == nil
	})
	if i < 0 || run.DeletionTimestamp != nil || is(run.Status.Conditions, wire.RunSucceeded, "") {
		return false, nil
	}
	crp := v.placements[i]
	l := &lookAt{view: v, crp: crp, spec: convert.ToPlacementSpec(crp.Spec).Defaulted(), bindings: v.bindingsOf(referenceTo(crp))}
	if crp.Spec.Strategy == nil || l.spec.Strategy.Type != placement.ExternalStrategy {
		return false, nil
	}
	l.mind = h.resolve(ctx, crp, l.spec)
	if l.mind.err != nil {
		return false, nil
	}
	before, err := canonical(run.Status)
	if err != nil {
		return false, err
	}
	r := &updateRun{lookAt: l, run: run, kinds: hub.StagedKindsOf(referenceTo(crp)), before: before, status: run.Status}
	if !is(run.Status.Conditions, wire.RunInitialized, metav1.ConditionTrue) {
		if wrote, err := h.initialize(ctx, r); wrote || err != nil {
			return wrote, err
		}
	} else if _, err := h.snapshot(ctx, l, false); err != nil {
		return false, err
	} else if err := h.advance(ctx, r); err != nil {
		return false, err
	}
	return h.writeRun(ctx, r)
}

// is tells whether a condition has a status; any for an empty one.
func is(conditions []metav1.Condition, conditionType string, status metav1.ConditionStatus) bool {
	return slices.ContainsFunc(conditions, func(c metav1.Condition) bool { return c.Type == conditionType && (status == "" || c.Status == status) })
}

func (r *updateRun) set(list *[]metav1.Condition, conditionType string, status metav1.ConditionStatus, reason, message string) {
	*list = with(*list, metav1.Condition{Type: conditionType, Status: status, Reason: reason, Message: message}, r.run.Generation, metav1.Now())
}

// initialize sorts the clusters into the stages, once the scheduler has picked them.
func (h *Hub) initialize(ctx context.Context, r *updateRun) (wrote bool, err error) {
	if r.run.Spec.ResourceSnapshotIndex == "" {
		if wrote, err := h.snapshot(ctx, r.lookAt, true); wrote || err != nil {
			return wrote, err
		}
	}
	strategy := slices.IndexFunc(r.strategies, func(s wire.ClusterStagedUpdateStrategy) bool {
		return s.Namespace == r.run.Namespace && s.Name == r.run.Spec.StagedUpdateStrategyName
	})
	var bound []wire.ClusterResourceBinding
	for _, b := range r.bindingsOf(r.of()) {
		if b.DeletionTimestamp == nil && b.Spec.State != wire.BindingStateUnscheduled {
			bound = append(bound, b)
		}
	}
	fail := func(format string, args ...any) {
		r.set(&r.status.Conditions, wire.RunInitialized, metav1.ConditionFalse, "UpdateRunInitializedFailed", fmt.Sprintf(format, args...))
	}
	switch {
	case strategy < 0:
		fail("cannot continue the updateRun: failed to validate the updateRun: referenced updateStrategy not found: `/%s`", r.run.Spec.StagedUpdateStrategyName)
		return false, nil
	case len(bound) == 0:
		return false, nil // the scheduler has not decided yet
	}
	stages := r.strategies[strategy].Spec
	r.status.StagedUpdateStrategySnapshot = &stages
	r.status.ResourceSnapshotIndexUsed = cmp.Or(r.run.Spec.ResourceSnapshotIndex, r.index)
	r.status.StagesStatus = nil
	seen := map[string]bool{}
	for _, stage := range stages.Stages {
		one := wire.StageUpdatingStatus{StageName: stage.Name, Clusters: r.clustersOf(stage, bound)}
		for _, c := range one.Clusters {
			if seen[c.ClusterName] {
				fail("cluster `%s` appears in more than one stages", c.ClusterName)
				return false, nil
			}
			seen[c.ClusterName] = true
		}
		one.BeforeStageTaskStatus, one.AfterStageTaskStatus = r.tasks(stage.BeforeStageTasks, "before", stage.Name), r.tasks(stage.AfterStageTasks, "after", stage.Name)
		r.status.StagesStatus = append(r.status.StagesStatus, one)
	}
	if len(seen) != len(bound) {
		fail("some clusters are not placed in any stage, total %d", len(bound)-len(seen))
		return false, nil
	}
	r.set(&r.status.Conditions, wire.RunInitialized, metav1.ConditionTrue, "UpdateRunInitializedSuccessfully", "The UpdateRun is initialized successfully")
	return false, nil
}

// clustersOf are those that a stage selects, in order.
func (r *updateRun) clustersOf(stage wire.StageConfig, bound []wire.ClusterResourceBinding) []wire.ClusterUpdatingStatus {
	selector, err := metav1.LabelSelectorAsSelector(stage.LabelSelector)
	out := []wire.ClusterUpdatingStatus{}
	if err != nil {
		return out
	}
	order := map[string]int{}
	for _, b := range bound {
		for _, m := range r.members {
			if m.Name != b.Spec.TargetCluster || !selector.Matches(labels.Set(m.Labels)) {
				continue
			}
			if stage.SortingLabelKey != nil {
				order[m.Name], _ = strconv.Atoi(m.Labels[*stage.SortingLabelKey])
			}
			out = append(out, wire.ClusterUpdatingStatus{ClusterName: m.Name})
		}
	}
	slices.SortFunc(out, func(a, b wire.ClusterUpdatingStatus) int {
		return cmp.Or(cmp.Compare(order[a.ClusterName], order[b.ClusterName]), cmp.Compare(a.ClusterName, b.ClusterName))
	})
	return out
}

func (r *updateRun) tasks(tasks []wire.StageTask, when, stage string) []wire.StageTaskStatus {
	var out []wire.StageTaskStatus
	for _, t := range tasks {
		one := wire.StageTaskStatus{Type: t.Type}
		if t.Type == string(stagedupdate.Approval) {
			one.ApprovalRequestName = r.run.Name + "-" + when + "-" + stage
		}
		out = append(out, one)
	}
	return out
}

// advance does for a run that is initialized what it is to do now.
func (h *Hub) advance(ctx context.Context, r *updateRun) error {
	switch stagedupdate.State(r.run.Spec.State) {
	case stagedupdate.Stop:
		r.set(&r.status.Conditions, wire.RunProgressing, metav1.ConditionFalse, "UpdateRunStopped", "The update run has been stopped")
		return nil
	case stagedupdate.Started:
	case stagedupdate.Initialize:
		return nil
	default:
		return nil
	}
	for i := range r.status.StagesStatus {
		stage := &r.status.StagesStatus[i]
		if is(stage.Conditions, wire.RunSucceeded, metav1.ConditionTrue) {
			continue
		}
		waits, done, err := h.stage(ctx, r, stage, r.status.StagedUpdateStrategySnapshot.Stages[i])
		switch {
		case err != nil:
			return err
		case waits:
			r.set(&stage.Conditions, wire.RunProgressing, metav1.ConditionFalse, "StageUpdatingWaiting", "")
			r.set(&r.status.Conditions, wire.RunProgressing, metav1.ConditionFalse, "UpdateRunWaiting", "The updateRun is waiting for tasks in stage "+stage.StageName+" to complete")
			return nil
		case !done:
			r.set(&stage.Conditions, wire.RunProgressing, metav1.ConditionTrue, "StageUpdatingStarted", "")
			r.set(&r.status.Conditions, wire.RunProgressing, metav1.ConditionTrue, "UpdateRunProgressing", "The update run is making progress")
			return nil
		}
		r.set(&stage.Conditions, wire.RunProgressing, metav1.ConditionFalse, "StageUpdatingSucceeded", "")
		r.set(&stage.Conditions, wire.RunSucceeded, metav1.ConditionTrue, "StageUpdatingSucceeded", "Stage update completed successfully")
	}
	r.set(&r.status.Conditions, wire.RunProgressing, metav1.ConditionFalse, "UpdateRunSucceeded", "All stages are completed")
	r.set(&r.status.Conditions, wire.RunSucceeded, metav1.ConditionTrue, "UpdateRunSucceeded", "All stages are completed successfully")
	return nil
}

// stage takes a stage further: what comes before it, its clusters, what comes after it.
func (h *Hub) stage(ctx context.Context, r *updateRun, stage *wire.StageUpdatingStatus, config wire.StageConfig) (waits, done bool, err error) {
	met, err := h.tasks(ctx, r, stage.StageName, stage.BeforeStageTaskStatus, config.BeforeStageTasks, time.Time{})
	if !met || err != nil {
		return !met, false, err
	}
	if stage.StartTime.IsZero() {
		stage.StartTime = metav1.Now()
	}
	atOnce := 1
	if config.MaxConcurrency != nil {
		if n, err := intstr.GetScaledValueFromIntOrPercent(config.MaxConcurrency, len(stage.Clusters), false); err == nil {
			atOnce = max(n, 1)
		}
	}
	left := 0
	for i := range stage.Clusters {
		c := &stage.Clusters[i]
		if is(c.Conditions, wire.RunSucceeded, metav1.ConditionTrue) {
			continue
		}
		if left++; left > atOnce {
			break
		}
		if err := h.update(ctx, r, c); err != nil {
			return false, false, err
		}
	}
	if left > 0 {
		return false, false, nil
	}
	if stage.EndTime.IsZero() {
		stage.EndTime = metav1.Now()
	}
	met, err = h.tasks(ctx, r, stage.StageName, stage.AfterStageTaskStatus, config.AfterStageTasks, stage.EndTime.Time)
	return !met, met, err
}

// update brings the content to a cluster.
func (h *Hub) update(ctx context.Context, r *updateRun, c *wire.ClusterUpdatingStatus) error {
	content := fmt.Sprintf("%s-%s-snapshot", r.crp.Name, r.status.ResourceSnapshotIndexUsed)
	for _, b := range r.bindingsOf(r.of()) {
		if b.Spec.TargetCluster != c.ClusterName || b.DeletionTimestamp != nil {
			continue
		}
		r.set(&c.Conditions, "Started", metav1.ConditionTrue, "ClusterUpdatingStarted", "")
		if overrides := r.overriddenOn(c.ClusterName); b.Spec.State != wire.BindingStateBound || b.Spec.ResourceSnapshotName != content || !overrides.of(b) {
			return h.patch(ctx, hub.KindsOf(r.of()).Binding, b.Namespace, b.Name, "", map[string]any{"spec": map[string]any{
				"state": wire.BindingStateBound, "resourceSnapshotName": content,
				"clusterResourceOverrideSnapshots": overrides.cluster, "resourceOverrideSnapshots": overrides.namespaced,
			}})
		}
		if sum := h.sum(r.lookAt, b); sum.missing == 0 && len(sum.failed)+len(sum.waiting) == 0 {
			r.set(&c.Conditions, wire.RunSucceeded, metav1.ConditionTrue, "ClusterUpdatingSucceeded", "Cluster update completed successfully")
		}
	}
	return nil
}

// tasks tells whether everything that is waited for is there; approvals are asked for.
func (h *Hub) tasks(
	ctx context.Context, r *updateRun, stage string, tasks []wire.StageTaskStatus, config []wire.StageTask, since time.Time,
) (met bool, err error) {
	met = true
	for i := range tasks {
		t := &tasks[i]
		if t.Type == string(stagedupdate.TimedWait) {
			over := config[i].WaitTime == nil || time.Since(since) >= config[i].WaitTime.Duration
			if over {
				r.set(&t.Conditions, "WaitTimeElapsed", metav1.ConditionTrue, "StageTaskWaitTimeElapsed", "")
			}
			met = met && over
			continue
		}
		j := slices.IndexFunc(r.approvals, func(a wire.ClusterApprovalRequest) bool {
			return a.Namespace == r.run.Namespace && a.Name == t.ApprovalRequestName
		})
		if j < 0 {
			met = false
			if err := h.create(ctx, r.kinds.Approval, wire.ClusterApprovalRequest{
				ObjectMeta: metav1.ObjectMeta{Namespace: r.run.Namespace, Name: t.ApprovalRequestName},
				Spec:       wire.ApprovalRequestSpec{TargetUpdateRun: r.run.Name, TargetStage: stage},
			}); err != nil {
				return false, err
			}
		}
		r.set(&t.Conditions, "ApprovalRequestCreated", metav1.ConditionTrue, "StageTaskApprovalRequestCreated", "")
		if j >= 0 && is(r.approvals[j].Status.Conditions, wire.Approved, metav1.ConditionTrue) {
			r.set(&t.Conditions, "ApprovalRequestApproved", metav1.ConditionTrue, "StageTaskApprovalRequestApproved", "")
		} else {
			met = false
		}
	}
	return met, nil
}

func (h *Hub) writeRun(ctx context.Context, r *updateRun) (wrote bool, err error) {
	after, err := canonical(r.status)
	if err != nil || bytes.Equal(r.before, after) {
		return false, err
	}
	content, err := fields(r.status)
	if err != nil {
		return false, err
	}
	return true, h.patch(ctx, r.kinds.Run, r.run.Namespace, r.run.Name, "status", map[string]any{"status": content})
}

// forgetRun removes the requests that a run has left which is gone, as its finalizer does.
func (h *Hub) forgetRun(ctx context.Context, v *view, request wire.ClusterApprovalRequest) (wrote bool, err error) {
	if slices.ContainsFunc(v.runs, func(r wire.ClusterStagedUpdateRun) bool {
		return r.Namespace == request.Namespace && r.Name == request.Spec.TargetUpdateRun
	}) {
		return false, nil
	}
	kinds := hub.StagedKindsOf(engine.Reference{Namespace: request.Namespace})
	return true, h.remove(ctx, kinds.Approval, request.Namespace, request.Name, request.UID)
}
