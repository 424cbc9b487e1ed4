package fakekubefleet

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/stagedupdate"
)

// advance advances an initialized run.
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

// stage advances a stage: its before-stage tasks, its clusters, and its after-stage tasks.
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

// update rolls the content out to a cluster.
func (h *Hub) update(ctx context.Context, r *updateRun, c *wire.ClusterUpdatingStatus) error {
	content := fmt.Sprintf("%s-%s-snapshot", r.crp.Name, r.status.ResourceSnapshotIndexUsed)
	for _, b := range r.bindingsOf(r.of()) {
		if b.Spec.TargetCluster != c.ClusterName || b.DeletionTimestamp != nil {
			continue
		}
		r.set(&c.Conditions, "Started", metav1.ConditionTrue, "ClusterUpdatingStarted", "")
		overrides, strategy := r.overriddenOn(c.ClusterName), r.crp.Spec.Strategy.ApplyStrategy
		if b.Spec.State != wire.BindingStateBound || b.Spec.ResourceSnapshotName != content || !overrides.of(b) || !reflect.DeepEqual(b.Spec.ApplyStrategy, strategy) {
			how, err := fields(strategy, "allowCoOwnership", "serverSideApplyConfig")
			if err != nil {
				return err
			}
			return h.patch(ctx, hub.KindsOf(r.of()).Binding, b.Namespace, b.Name, "", map[string]any{"spec": map[string]any{
				"state": wire.BindingStateBound, "resourceSnapshotName": content,
				"clusterResourceOverrideSnapshots": overrides.cluster, "resourceOverrideSnapshots": overrides.namespaced, "applyStrategy": how,
			}})
		}
		if sum := h.sum(r.round, b); sum.missing == 0 && len(sum.failed)+len(sum.waiting) == 0 {
			r.set(&c.Conditions, wire.RunSucceeded, metav1.ConditionTrue, "ClusterUpdatingSucceeded", "Cluster update completed successfully")
		}
	}
	return nil
}

// tasks reports whether all tasks of a stage are complete. It requests approvals.
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
