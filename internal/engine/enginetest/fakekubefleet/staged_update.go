package fakekubefleet

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/stagedupdate"
)

// updateRun is one round for a run.
type updateRun struct {
	*round
	run   wire.ClusterStagedUpdateRun
	kinds hub.StagedKinds
	// before is the status on the hub, and status the next one. Unchanged conditions keep their time.
	before []byte
	status wire.StagedUpdateRunStatus
}

const runFinalizer = "kubernetes-fleet.io/stagedupdaterun-finalizer"

// run advances an update run. It writes only the finalizer to a run of a placement that does not exist. On a hub, such a run fails; tests of such runs simulate
// the hub themselves.
func (h *Hub) run(ctx context.Context, v *view, run wire.ClusterStagedUpdateRun) (wrote bool, err error) {
	if wrote, err := h.finalizeRun(ctx, v, run); wrote || err != nil {
		return wrote, err
	}
	i := slices.IndexFunc(v.placements, func(p wire.ClusterResourcePlacement) bool {
		return p.Namespace == run.Namespace && p.Name == run.Spec.PlacementName && p.DeletionTimestamp == nil
	})
	if i < 0 || run.DeletionTimestamp != nil || is(run.Status.Conditions, wire.RunSucceeded, "") {
		return false, nil
	}
	crp := v.placements[i]
	l := &round{view: v, crp: crp, spec: convert.ToPlacementSpec(crp.Spec).Defaulted(), bindings: v.bindingsOf(referenceTo(crp)), seen: v.overriding()}
	if crp.Spec.Strategy == nil || l.spec.Strategy.Type != placement.ExternalStrategy {
		return false, nil
	}
	l.mind, _ = h.resolve(ctx, crp, l.spec)
	if l.mind.err != nil {
		return false, nil //nolint:nilerr // the placement's status reports it, and the run waits for a fix
	}
	before, err := canonical(run.Status)
	if err != nil {
		return false, err
	}
	r := &updateRun{round: l, run: run, kinds: hub.StagedKindsOf(referenceTo(crp)), before: before, status: run.Status}
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

// finalizeRun keeps a run until its approval requests are deleted.
func (h *Hub) finalizeRun(ctx context.Context, v *view, run wire.ClusterStagedUpdateRun) (wrote bool, err error) {
	rest := append(slices.Clone(run.Finalizers), runFinalizer)
	if has := slices.Contains(run.Finalizers, runFinalizer); has == (run.DeletionTimestamp == nil) {
		return false, nil
	} else if has {
		if slices.ContainsFunc(v.approvals, func(a wire.ClusterApprovalRequest) bool {
			return a.Namespace == run.Namespace && a.Spec.TargetUpdateRun == run.Name
		}) {
			return false, nil
		}
		rest = without(run.Finalizers, runFinalizer)
	}
	return true, h.patch(ctx, hub.StagedKindsOf(engine.Reference{Namespace: run.Namespace}).Run, run.Namespace, run.Name, "", finalizers(rest...))
}

// is reports whether a condition has a status, or any status if status is empty.
func is(conditions []metav1.Condition, conditionType string, status metav1.ConditionStatus) bool {
	return slices.ContainsFunc(conditions, func(c metav1.Condition) bool { return c.Type == conditionType && (status == "" || c.Status == status) })
}

func (r *updateRun) set(list *[]metav1.Condition, conditionType string, status metav1.ConditionStatus, reason, message string) {
	*list = with(*list, metav1.Condition{Type: conditionType, Status: status, Reason: reason, Message: message}, r.run.Generation, metav1.Now())
}

// initialize assigns the clusters to the stages, once the scheduler has picked them.
func (h *Hub) initialize(ctx context.Context, r *updateRun) (wrote bool, err error) {
	if r.run.Spec.ResourceSnapshotIndex == "" {
		if wrote, err := h.snapshot(ctx, r.round, true); wrote || err != nil {
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

// clustersOf returns the clusters that a stage selects, in order.
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

// forgetRun deletes an approval request if its run is deleted or being deleted.
func (h *Hub) forgetRun(ctx context.Context, v *view, request wire.ClusterApprovalRequest) (wrote bool, err error) {
	if slices.ContainsFunc(v.runs, func(r wire.ClusterStagedUpdateRun) bool {
		return r.Namespace == request.Namespace && r.Name == request.Spec.TargetUpdateRun && r.DeletionTimestamp == nil
	}) {
		return false, nil
	}
	kinds := hub.StagedKindsOf(engine.Reference{Namespace: request.Namespace})
	return true, h.remove(ctx, kinds.Approval, request.Namespace, request.Name, request.UID)
}
