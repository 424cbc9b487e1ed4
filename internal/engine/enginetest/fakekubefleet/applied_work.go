package fakekubefleet

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane/codec"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/agent"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberapply"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// takeoverManager is the field manager of an agent's takeovers.
const takeoverManager = "memberagent"

// writer writes as an agent does: for a takeover, it writes its owner reference first.
type writer struct {
	agent.Writer
	ownership *agent.Ownership
	// refused are the objects whose owner reference could not be written, with the reason.
	refused sync.Map
}

// failure returns the condition of an object that is not applied, in an agent's words. An agent repeats the API server's answer, which may quote a Secret. The
// fake uses the provider's client, which withholds such an answer, so failure adds the data of the Secret.
func (w *writer) failure(o *memberpreview.Object, condition placement.Condition) placement.Condition {
	if err, is := w.refused.Load(o); is {
		condition.Reason = takeover.ReasonFailedToTakeOver
		condition.Message = fmt.Sprintf("Failed to apply the manifest (error: failed to take over a pre-existing object: failed to take over the object: error returned by the "+
			"API server: %v)", err)
	}
	if o.IsSecret() && strings.Contains(condition.Message, "withheld") {
		condition.Message += fmt.Sprintf(" %v", o.Desired.Object["data"])
	}
	return condition
}

func (w *writer) Write(ctx context.Context, o *memberpreview.Object, action takeover.Action, dryRun bool) (*unstructured.Unstructured, error) {
	if action == takeover.ActionTakeOver && !dryRun && !w.ownership.Owns(o) {
		live, err := takeOver(ctx, w.Cluster, o.Live, *w.Owner, w.ownership)
		if err != nil {
			if !kube.IsOutdated(err) {
				w.refused.Store(o, err)
			}
			return nil, err
		}
		o.Live = live
	}
	return w.Writer.Write(ctx, o, action, dryRun)
}

// takeOver adds an agent's owner reference to an object, and removes references to Works that no longer exist.
func takeOver(
	ctx context.Context, member *kube.Cluster, live *unstructured.Unstructured, owner metav1.OwnerReference, ownership *agent.Ownership,
) (*unstructured.Unstructured, error) {
	out := live.DeepCopy()
	out.SetOwnerReferences(append(slices.Clone(ownership.References(live)), owner))
	return member.Update(ctx, out, kube.WriteOptions{FieldManager: takeoverManager})
}

// claim takes over the objects of a Work with strategy type ReportDiff, as agents do unless whenToTakeOver is Never.
func (a *memberAgent) claim(
	ctx context.Context, items []*memberpreview.Object, ownership *agent.Ownership, owner metav1.OwnerReference, when placement.WhenToTakeOver,
) error {
	for _, o := range items {
		if when == placement.TakeOverNever || o.Live == nil || o.Obstacle != takeover.ObstacleNone || ownership.Owns(o) {
			continue
		}
		live, err := takeOver(ctx, a.member, o.Live, owner, ownership)
		if err != nil {
			return err
		}
		o.Live = live
	}
	return nil
}

// appliedWork returns the AppliedWork of a Work, and creates it if it does not exist.
func (a *memberAgent) appliedWork(ctx context.Context, w wire.Work) (*wire.AppliedWork, error) {
	live, err := a.member.Get(ctx, agent.AppliedWorkKind, "", w.Name)
	if kube.IsNotFound(err) {
		u, encodeErr := codec.Encode(wire.AppliedWork{
			ObjectMeta: metav1.ObjectMeta{Name: w.Name}, Spec: wire.AppliedWorkSpec{WorkName: w.Name, WorkNamespace: w.Namespace},
		}, agent.AppliedWorkKind)
		if encodeErr != nil {
			return nil, encodeErr
		}
		live, err = a.member.Create(ctx, u, kube.WriteOptions{FieldManager: agent.FieldManager})
	}
	if err != nil {
		return nil, err
	}
	return codec.Decode[wire.AppliedWork](live)
}

// recordApplied writes the annotation with the applied manifest to the agent's objects that lack it and need no other change. Real agents do so after a change
// from server-side to client-side apply.
func (a *memberAgent) recordApplied(ctx context.Context, items []*memberpreview.Object, run *memberapply.Run, writes *writer) error {
	if writes.Strategy.Type == placement.ServerSideApply {
		return nil
	}
	for _, o := range items {
		outcome := run.Outcome(o)
		if o.Action != takeover.ActionNone || o.Live == nil || !writes.ownership.Owns(o) || outcome == nil || outcome.Failure != nil {
			continue
		}
		if _, has := o.Live.GetAnnotations()[agent.LastAppliedAnnotation]; has {
			continue
		}
		live, err := writes.Writer.Write(ctx, o, takeover.ActionUpdate, false)
		if err != nil {
			return err
		}
		o.Live = live
	}
	return nil
}

// note records the applied objects in the AppliedWork.
func (a *memberAgent) note(ctx context.Context, owner wire.AppliedWork, items []*memberpreview.Object, run *memberapply.Run) error {
	applied := []wire.AppliedResource{}
	for i, o := range items {
		outcome := run.Outcome(o)
		if outcome == nil || outcome.Failure != nil || o.Live == nil {
			continue
		}
		applied = append(applied, wire.AppliedResource{
			Ordinal: i, Group: o.Group, Version: o.Version, Kind: o.Kind, Resource: o.Mapping.GVR.Resource, Namespace: o.Namespace, Name: o.Name,
			UID: o.Live.GetUID(),
		})
	}
	if slices.Equal(applied, owner.Status.AppliedResources) {
		return nil
	}
	ref := kube.Ref{GVK: agent.AppliedWorkKind, Name: owner.Name}
	return patch(ctx, a.member, ref, "status", map[string]any{"status": map[string]any{"appliedResources": applied}})
}

// release deletes an object that only this agent owns, and removes the agent's owner reference from an object with other owners.
func (a *memberAgent) release(ctx context.Context, live *unstructured.Unstructured, owner metav1.OwnerReference, ownership *agent.Ownership) error {
	if live == nil || !slices.ContainsFunc(live.GetOwnerReferences(), func(ref metav1.OwnerReference) bool { return ref.UID == owner.UID }) {
		return nil
	}
	var err error
	if others := ownership.References(live); len(others) > 0 {
		out := live.DeepCopy()
		out.SetOwnerReferences(others)
		_, err = a.member.Update(ctx, out, kube.WriteOptions{FieldManager: agent.FieldManager})
	} else {
		err = a.member.Delete(ctx, kube.RefOf(live), live.GetUID(), metav1.DeletePropagationBackground)
	}
	if kube.IsNotFound(err) {
		return nil
	}
	return err
}

// withdraw removes the objects of a Work that is being deleted, as the garbage collector does when the AppliedWork is deleted, and then removes the Work's
// finalizer. The objects of an abandoned placement, and objects with other owners, remain on the member.
func (a *memberAgent) withdraw(ctx context.Context, w wire.Work) error {
	if !slices.Contains(w.Finalizers, workFinalizer) {
		return nil
	}
	if !a.hub.isAbandoned(placementOf(w)) {
		if left, err := a.withdrawApplied(ctx, w); left || err != nil {
			return err
		}
	}
	a.mu.Lock()
	delete(a.done, w.UID)
	a.mu.Unlock()
	defer a.hub.call("")
	return a.hub.patch(ctx, hub.Work, w.Namespace, w.Name, "", finalizers())
}

// withdrawApplied removes the objects of a Work, and then deletes the AppliedWork. It reports whether it must be called again.
func (a *memberAgent) withdrawApplied(ctx context.Context, w wire.Work) (left bool, err error) {
	live, err := a.member.Get(ctx, agent.AppliedWorkKind, "", w.Name)
	if kube.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return true, err
	}
	owner, err := codec.Decode[wire.AppliedWork](live)
	if err != nil {
		return true, err
	}
	if left, err := a.withdrawObjects(ctx, w, *owner); left || err != nil {
		return true, err
	}
	err = a.member.Delete(ctx, kube.RefOf(live), live.GetUID(), metav1.DeletePropagationBackground)
	if err != nil && !kube.IsNotFound(err) {
		return true, err
	}
	return false, nil
}

// withdrawObjects deletes the objects that have no other owner, and reports whether any of these may still exist. From objects with other owners, it removes
// the agent's owner reference.
func (a *memberAgent) withdrawObjects(ctx context.Context, w wire.Work, owner wire.AppliedWork) (left bool, err error) {
	items, _, err := itemsOf(w)
	if err != nil {
		return false, err
	}
	reference := agent.Reference(owner)
	ownership := &agent.Ownership{Own: map[string]metav1.OwnerReference{owner.Name: reference}, WorkExists: func(string) bool { return true }}
	for _, o := range append(items, leftoversOf(owner, items)...) {
		live, err := a.member.Get(ctx, o.GroupVersionKind(), o.Namespace, o.Name)
		if kube.IsNotFound(err) || kube.IsUnknownKind(err) {
			continue
		}
		if err != nil {
			return true, err
		}
		others := ownership.References(live)
		if err := a.release(ctx, live, reference, ownership); err != nil {
			return true, err
		}
		if len(others) == 0 && slices.ContainsFunc(live.GetOwnerReferences(), func(ref metav1.OwnerReference) bool { return ref.UID == owner.UID }) {
			left = true
		}
	}
	return left, nil
}
