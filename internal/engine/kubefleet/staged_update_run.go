package kubefleet

import (
	"context"
	"errors"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane/codec"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/stagedupdate"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// ApplyUpdateRun writes the run on the hub. If options.Wait is set, it polls the run until the run waits for an approval, or is in a phase in which it remains
// (see isRestingIn). The status is nil if the write failed.
func (e *Engine) ApplyUpdateRun(
	ctx context.Context, r engine.UpdateRun, options engine.RunOptions,
) (engine.UpdateRun, *stagedupdate.Status, error) {
	defer e.clusters.DropCaches()
	object := wire.ClusterStagedUpdateRun{
		ObjectMeta: metav1.ObjectMeta{Namespace: r.Namespace, Name: r.Name}, Spec: convert.FromUpdateRun(r.Spec),
	}
	stored, err := e.write(ctx, hub.StagedKindsOf(r.Reference).Run, r.Reference, object, options.Create, r.UID)
	if err != nil {
		return r, nil, err
	}
	r.UID = uidOf(stored)
	found, err := codec.Decode[wire.ClusterStagedUpdateRun](stored)
	if err != nil {
		return r, &stagedupdate.Status{}, &engine.UnfollowedError{Err: err}
	}
	status := convert.UpdateRunStatus(*found)
	if !options.Wait {
		return r, &status, nil
	}
	rest := isRestingIn(r.Spec.Defaulted().State)
	last, err := e.followRun(ctx, r.Reference, status, options.Progress, func(s stagedupdate.Status) bool { return rest(s.Phase()) || len(s.Approvals()) > 0 })
	return r, last, err
}

// isRestingIn returns a function that reports whether a run remains in a phase until a client changes the run. state is the desired state of the run.
func isRestingIn(state stagedupdate.State) func(stagedupdate.Phase) bool {
	return func(phase stagedupdate.Phase) bool {
		switch phase {
		case stagedupdate.PhaseSucceeded, stagedupdate.PhaseFailed:
			return true
		case stagedupdate.PhaseInitialized:
			return state == stagedupdate.Initialize
		case stagedupdate.PhaseStopped:
			return state == stagedupdate.Stop
		case stagedupdate.PhasePending, stagedupdate.PhaseProgressing, stagedupdate.PhaseWaiting, stagedupdate.PhaseStuck:
			return false
		}
		return false
	}
}

// followRun polls a run until isDone returns true. It returns an error if the context ends first, if the run is deleted, or if the hub cannot be read. The
// returned status is the last known one, also with an error, and is never nil. last is the status before the first poll. progress can be nil.
func (e *Engine) followRun(
	ctx context.Context, reference engine.Reference, last stagedupdate.Status, progress func(string), isDone func(stagedupdate.Status) bool,
) (*stagedupdate.Status, error) {
	reported := ""
	done, err := controlplane.Poll(ctx, e.pace.Pace, func(ctx context.Context) (bool, error) {
		found, _, err := hub.Get[wire.ClusterStagedUpdateRun](ctx, e.clusters.Hub, hub.StagedKindsOf(reference).Run, reference.Namespace, reference.Name)
		if err == nil && found == nil {
			err = engine.ErrNotFound
		}
		if err != nil {
			return false, err
		}
		last = convert.UpdateRunStatus(*found)
		if text := runProgress(reference, last); progress != nil && text != reported {
			progress(text)
			reported = text
		}
		return isDone(last), nil
	})
	switch {
	case done:
		return &last, nil
	case errors.Is(err, engine.ErrNotFound):
		return &last, fmt.Errorf("the run %q was deleted while the provider waited for it", reference)
	case err != nil:
		return &last, &engine.UnfollowedError{Err: err}
	}
	return &last, ctx.Err()
}

func runProgress(reference engine.Reference, s stagedupdate.Status) string {
	text := fmt.Sprintf("run %s: %s", reference, s.Phase())
	for _, stage := range s.Stages {
		text += fmt.Sprintf("; stage %s: %s", stage.Name, stage.Summary())
	}
	return text
}

// ApproveStage sets the condition that approves a stage of a run. If approval.Wait is set, it then polls the run until the run ends, stops or waits for another
// approval. Otherwise, the returned status is the status before the approval. approved reports that the condition is set.
func (e *Engine) ApproveStage(ctx context.Context, approval engine.StageApproval) (status stagedupdate.Status, approved bool, err error) {
	defer e.clusters.DropCaches()
	_, status, err = e.ReadUpdateRun(ctx, approval.Run, &engine.UpdateRun{})
	switch {
	case errors.Is(err, engine.ErrNotFound):
		return status, false, fmt.Errorf("the hub has no run %q", approval.Run)
	case err != nil:
		return status, false, err
	case status.Stage(approval.Stage) == nil && len(status.Stages) > 0:
		return status, false, fmt.Errorf("the run %q has no stage %q", approval.Run, approval.Stage)
	}
	request := engine.Reference{Namespace: approval.Run.Namespace, Name: requestName(approval)}
	if err := e.approve(ctx, request, approval); err != nil {
		return status, false, err
	}
	if approval.Progress != nil {
		approval.Progress(fmt.Sprintf("%s is approved", request))
	}
	if !approval.Wait {
		return status, true, nil
	}
	last, err := e.followRun(ctx, approval.Run, status, approval.Progress, func(s stagedupdate.Status) bool { return isSettled(s, request.Name) })
	return *last, true, err
}

// isSettled reports whether a run makes no further progress by itself after an approval: it has ended or stopped, or waits for another approval. approved is
// the name of the approved request. The run lists this request as pending until it observes the approval.
func isSettled(s stagedupdate.Status, approved string) bool {
	if slices.ContainsFunc(s.Approvals(), func(request string) bool { return request != approved }) {
		return true
	}
	phase := s.Phase()
	return isRestingIn(stagedupdate.Started)(phase) || phase == stagedupdate.PhaseStopped
}

func requestName(approval engine.StageApproval) string {
	when := "after"
	if approval.Before {
		when = "before"
	}
	return approval.Run.Name + "-" + when + "-" + approval.Stage
}

// approve approves a request. It reads the request again and retries if the hub cannot serve the write, if the response is lost, or if the hub has changed
// the request since it was read.
func (e *Engine) approve(ctx context.Context, request engine.Reference, approval engine.StageApproval) error {
	_, err := controlplane.Repeat(ctx, func() (struct{}, error) {
		return controlplane.RepeatConflicts(func(int) (struct{}, error) { return struct{}{}, e.approveOnce(ctx, request, approval) })
	})
	return err
}

func (e *Engine) approveOnce(ctx context.Context, request engine.Reference, approval engine.StageApproval) error {
	kind := hub.StagedKindsOf(request).Approval
	live, err := e.find(ctx, kind, request)
	if err != nil {
		return err
	}
	if live == nil {
		return fmt.Errorf("the run %q does not wait for the approval %q: it has not reached that stage, or the stage has no such task", approval.Run, request)
	}
	found, err := codec.Decode[wire.ClusterApprovalRequest](live)
	if err != nil {
		return err
	}
	conditions := []metav1.Condition{}
	for _, c := range found.Status.Conditions {
		if c.Type == wire.Approved && c.Status == metav1.ConditionTrue {
			return nil
		}
		if c.Type != wire.Approved {
			conditions = append(conditions, c)
		}
	}
	message := approval.Reason
	if message == "" {
		message = "Approved with Terraform"
	}
	data, err := convert.ApprovalPatch(append(conditions, metav1.Condition{
		Type: wire.Approved, Status: metav1.ConditionTrue, Reason: "ApprovedWithTerraform", Message: message,
		ObservedGeneration: live.GetGeneration(), LastTransitionTime: metav1.Now(),
	}), live.GetResourceVersion())
	if err != nil {
		return err
	}
	_, err = e.clusters.Hub.Patch(ctx, kube.RefOf(live), types.MergePatchType, data, kube.WriteOptions{Subresource: "status"})
	return clusterset.Unreachable(e.clusters.Hub.Name(), err)
}
