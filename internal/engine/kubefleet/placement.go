package kubefleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane/codec"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/predict"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Preview predicts what the hub will do.
func (e *Engine) Preview(ctx context.Context, p engine.Placement, options engine.PreviewOptions) (*engine.Preview, error) {
	ctx = kube.ShareReads(ctx)
	if err := e.checkKnown(ctx, p); err != nil {
		return nil, err
	}
	want, err := e.encodePlacement(ctx, p)
	if err == nil {
		err = hub.Check(want)
	}
	if err != nil {
		return nil, err
	}
	found, err := predict.New(ctx, e.clusters, p, options)
	if err != nil {
		return nil, err
	}
	out := found.Preview()
	out.Hub.Stalled = found.IsBlocked() || isStalled(found) && len(found.Given()) == 0 && !found.HasLeftOwners()
	out.Hub.NotObserved, err = e.isUnobserved(ctx, found)
	return out, err
}

// PreviewDelete predicts what the hub will do when the placement is deleted.
func (e *Engine) PreviewDelete(ctx context.Context, p engine.Placement, options engine.DeleteOptions) (*engine.Preview, error) {
	ctx = kube.ShareReads(ctx)
	if err := e.checkKnown(ctx, p); err != nil {
		return nil, err
	}
	found, err := predict.Removal(ctx, e.clusters, p, options)
	if err != nil {
		return nil, err
	}
	return found.Preview(), nil
}

// checkKnown returns an error if the hub or the placement is not the known one. It sends no request if neither is known.
func (e *Engine) checkKnown(ctx context.Context, p engine.Placement) error {
	if p.Prior == nil || p.Prior.HubUID == "" && p.Prior.UID == "" {
		return nil
	}
	_, _, err := e.findPlacement(ctx, p)
	return err
}

// findPlacement reads a placement, or returns nil if it does not exist. It returns an error if the placement was written to another hub, or was recreated
// since. An unchanged placement proves the hub's identity. Otherwise the hub's UID is checked first.
func (e *Engine) findPlacement(ctx context.Context, p engine.Placement) (*wire.ClusterResourcePlacement, *unstructured.Unstructured, error) {
	found, live, err := hub.Placement(ctx, e.clusters.Hub, p.Reference)
	return found, live, controlplane.CheckHubOf(ctx, e.clusters.Hub, p, live, err)
}

// ApplyPlacement repeats the prediction, writes the placement and follows the rollout. It returns an error before it writes if the plan did not show the
// predicted changes, because agents cannot be stopped once the placement is written.
func (e *Engine) ApplyPlacement(ctx context.Context, p engine.Placement, options engine.ApplyOptions) (*engine.Result, error) {
	defer e.clusters.DropCaches()
	uid, err := controlplane.CheckHub(ctx, e.clusters.Hub, p)
	if err != nil {
		return nil, err
	}
	waited, err := e.awaitJoining(ctx, p)
	if err != nil {
		return nil, err
	}
	found, err := predict.New(ctx, e.clusters, p, engine.PreviewOptions{Create: options.Create, Expected: options.Expected, Applying: true})
	if err == nil {
		err = options.Expected.Verify(found.Preview())
	}
	if err == nil {
		err = pendingHandOver(found)
	}
	if err == nil {
		err = e.releaseKept(ctx, found)
	}
	var warnings []string
	if err == nil {
		warnings, err = e.removeLeftOwners(ctx, found)
	}
	if err != nil {
		return nil, err
	}
	_, live, err := hub.Placement(ctx, e.clusters.Hub, p.Reference)
	if err == nil && live != nil && options.Create {
		err = hub.Exists(hub.KindsOf(p.Reference).Placement, p.Reference)
	}
	if err == nil {
		err = engine.CheckReplaced(live, p.KnownUID(), e.clusters.Hub.Name())
	}
	if err != nil {
		return nil, err
	}
	overridden := overridesOf(found)
	change := followed{
		placement: p, content: found.Content.ClosedHash(), overrides: overridden, options: options, moves: found.Moves, rejects: found.Rejects,
		item: found.Item, leaving: found.Leaving(), writes: found.Writes(), handOver: newHandOver(found),
	}
	live, unprepared, err := e.prepare(ctx, change, found, live)
	if unprepared != nil {
		unprepared.Status.HubUID = uid
		if p.Prior != nil {
			unprepared.Status.UID = p.Prior.UID
		}
	}
	if err != nil {
		return unprepared, err
	}
	want, err := e.encodePlacement(ctx, p)
	if err != nil {
		return nil, err
	}
	stored, err := hub.Put(ctx, e.clusters.Hub, want, live)
	if kube.IsAlreadyExists(err) {
		return nil, hub.Exists(hub.KindsOf(p.Reference).Placement, p.Reference)
	}
	if stored == nil {
		return nil, err
	}
	change.generation = stored.GetGeneration()
	result, unfollowed := e.follow(ctx, change)
	result.Warnings = append(append(result.Warnings, warnings...), overridden.warnBehind(ctx, e, result)...)
	result.Status.HubUID, result.Status.UID = uid, string(stored.GetUID())
	result.Warnings = append(result.Warnings, warnNotJoined(waited, found)...)
	return result, errors.Join(err, unfollowed)
}

// awaitJoining waits for the agents of members that were just registered, possibly in the same run, to join. Without them, the hub would place on other
// members or on none. It returns the members that it waited for last. Nothing is written yet, so any error ends the wait.
func (e *Engine) awaitJoining(ctx context.Context, p engine.Placement) (waited []string, err error) {
	_, _ = controlplane.Poll(ctx, e.pace.Pace, func(ctx context.Context) (bool, error) {
		var joining []string
		if joining, err = predict.Joining(ctx, e.clusters.Hub, p); len(joining) == 0 || err != nil {
			return true, nil //nolint:nilerr // awaitJoining returns err
		}
		waited = joining
		return false, nil
	})
	return waited, err
}

// warnNotJoined returns a warning for the members that have not joined in time. The scheduler may still not pick a member that has joined.
func warnNotJoined(waited []string, found *predict.Prediction) []string {
	out := slices.DeleteFunc(waited, func(name string) bool { return found.HasJoined(name) })
	if len(out) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("the agents of %s have not joined yet: the hub places on these members by itself once they do", strings.Join(out, ", "))}
}

func (e *Engine) encodePlacement(ctx context.Context, p engine.Placement) (*unstructured.Unstructured, error) {
	gvk, err := hub.Served(ctx, e.clusters.Hub, hub.KindsOf(p.Reference).Placement)
	if err != nil {
		return nil, err
	}
	return codec.Encode(wire.ClusterResourcePlacement{
		ObjectMeta: metav1.ObjectMeta{Namespace: p.Namespace, Name: p.Name}, Spec: convert.FromPlacementSpec(p.Spec),
	}, gvk)
}

// ReadPlacement reads the placement and its status on the hub.
func (e *Engine) ReadPlacement(ctx context.Context, p engine.Placement) (*engine.Recorded, error) {
	ctx = kube.PublishReads(ctx)
	found, live, err := e.findPlacement(ctx, p)
	if err != nil {
		return nil, err
	}
	if found == nil {
		return e.readRemoved(ctx, p)
	}
	reported := e.conceal(ctx, p.Reference, progress{status: convert.PlacementStatus(found.Status, found.Spec.Policy)})
	out := &engine.Recorded{ID: p.ID, Complete: true, Generation: live.GetGeneration(), Status: reported.status, Withheld: reported.withheld}
	if out.Status.HubUID, err = controlplane.CheckHub(ctx, e.clusters.Hub, p); err != nil {
		return nil, err
	}
	out.Status.UID, out.Status.NotObserved = string(found.UID), p.Prior != nil && p.Prior.NotObserved
	if len(p.Spec.ResourceSelectors) == 0 { // no configuration is known
		out.Spec, err = convert.ImportedPlacement(live, e.clusters.Hub.FieldManager(""))
	} else {
		out.Spec, err = convert.PlacementAsWritten(convert.ToPlacementSpec(found.Spec), p.Spec)
	}
	return out, err
}

// DeletePlacement deletes the placement and waits until the hub has cleaned up: the placement itself is deleted before the objects on the members are.
func (e *Engine) DeletePlacement(ctx context.Context, p engine.Placement, options engine.DeleteOptions) (*engine.Result, error) {
	defer e.clusters.DropCaches()
	_, live, err := e.findPlacement(ctx, p)
	if err != nil {
		return nil, err
	}
	kept, err := e.prepareRemoval(ctx, p, options)
	if err != nil {
		return nil, err
	}
	if live != nil {
		refused, err := e.deleteOnHub(ctx, live)
		switch err = clusterset.Unreachable(e.clusters.Hub.Name(), err); {
		case refused: // the placement continues, and its agents apply no object that has another owner
			return nil, errors.Join(err, e.removeTemporaryOwners(ctx, kept, false))
		case err != nil: // the hub may have deleted it
			return &engine.Result{}, errors.Join(err, e.removeTemporaryOwners(ctx, kept, true))
		}
	}
	result, err := e.awaitClean(ctx, p.Reference)
	return result, errors.Join(err, e.removeTemporaryOwners(ctx, kept, true))
}

// prepareRemoval gives second owners to the objects that must remain. It returns an error if the removal would delete an object whose deletion the plan did
// not show.
func (e *Engine) prepareRemoval(ctx context.Context, p engine.Placement, options engine.DeleteOptions) ([]keptObject, error) {
	abandons := p.Spec.Defaulted().Strategy.DeleteStrategy.PropagationPolicy == placement.AbandonObjects
	if options.Expected == nil && !abandons {
		return nil, nil
	}
	found, err := predict.Removal(ctx, e.clusters, p, options)
	if err == nil {
		err = options.Expected.Verify(found.Preview())
	}
	if err != nil {
		return nil, err
	}
	return e.keep(ctx, found)
}

// deleteOnHub deletes the placement and waits until it is gone. If the deletion fails, refused reports whether the hub has denied it, so that the placement
// stays.
func (e *Engine) deleteOnHub(ctx context.Context, live *unstructured.Unstructured) (refused bool, err error) {
	ref := kube.RefOf(live)
	err = e.clusters.Hub.Delete(ctx, ref, live.GetUID(), metav1.DeletePropagationBackground)
	if err != nil && !kube.IsNotFound(err) && !kube.IsTransient(err) && ctx.Err() == nil {
		return true, err
	}
	if err == nil {
		err = e.clusters.Hub.WaitGone(ctx, ref, live.GetUID())
	}
	if kube.IsNotFound(err) {
		err = nil
	}
	return false, err
}
