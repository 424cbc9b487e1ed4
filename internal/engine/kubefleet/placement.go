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

// Preview predicts what the hub will do when the placement is applied.
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
	prediction, err := predict.New(ctx, e.clusters, p, options)
	if err != nil {
		return nil, err
	}
	out := prediction.Preview()
	out.Hub.Stalled = prediction.IsBlocked() || isStalled(prediction) && len(prediction.Given()) == 0 && !prediction.HasLeftOwners()
	out.Hub.NotObserved, err = e.isUnobserved(ctx, prediction)
	return out, err
}

// PreviewDelete predicts what the hub will do when the placement is deleted.
func (e *Engine) PreviewDelete(ctx context.Context, p engine.Placement, options engine.DeleteOptions) (*engine.Preview, error) {
	ctx = kube.ShareReads(ctx)
	if err := e.checkKnown(ctx, p); err != nil {
		return nil, err
	}
	prediction, err := predict.Removal(ctx, e.clusters, p, options)
	if err != nil {
		return nil, err
	}
	return prediction.Preview(), nil
}

// checkKnown returns an error if the hub or the placement on it has another UID than in the state. A placement that does not exist is not an error. checkKnown
// sends no request if the state has neither UID.
func (e *Engine) checkKnown(ctx context.Context, p engine.Placement) error {
	if p.Prior == nil || p.Prior.HubUID == "" && p.Prior.UID == "" {
		return nil
	}
	_, _, err := e.findPlacement(ctx, p)
	return err
}

// findPlacement reads a placement. It returns nil if the placement does not exist. It returns an error if the state belongs to another hub, or if the placement
// was recreated since the last apply: see [controlplane.CheckHubOf].
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
	prediction, err := predict.New(ctx, e.clusters, p, engine.PreviewOptions{Create: options.Create, Expected: options.Expected, Applying: true})
	if err == nil {
		err = options.Expected.Verify(prediction.Preview())
	}
	if err == nil {
		err = pendingHandOver(prediction)
	}
	if err == nil {
		err = e.releaseKept(ctx, prediction)
	}
	var warnings []string
	if err == nil {
		warnings, err = e.removeLeftOwners(ctx, prediction)
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
	overrides := overridesOf(prediction)
	change := rolloutChange{
		placement: p, content: prediction.Content.ClosedHash(), overrides: overrides, options: options, moves: prediction.Moves, rejects: prediction.Rejects,
		item: prediction.Item, leaving: prediction.Leaving(), writes: prediction.Writes(), handOver: newHandOver(prediction),
	}
	live, partialResult, err := e.prepare(ctx, change, prediction, live)
	if partialResult != nil {
		partialResult.Status.HubUID = uid
		if p.Prior != nil {
			partialResult.Status.UID = p.Prior.UID
		}
	}
	if err != nil {
		return partialResult, err
	}
	want, err := e.encodePlacement(ctx, p)
	if err != nil {
		return partialResult, err
	}
	stored, err := hub.Put(ctx, e.clusters.Hub, want, live)
	if kube.IsAlreadyExists(err) {
		err = hub.Exists(hub.KindsOf(p.Reference).Placement, p.Reference)
	}
	if stored == nil {
		return partialResult, err
	}
	change.generation = stored.GetGeneration()
	result, followErr := e.follow(ctx, change)
	result.Warnings = append(append(result.Warnings, warnings...), overrides.warnBehind(ctx, e, result)...)
	result.Status.HubUID, result.Status.UID = uid, string(stored.GetUID())
	result.Warnings = append(result.Warnings, warnNotJoined(waited, prediction)...)
	return result, errors.Join(err, followErr)
}

// awaitJoining waits for the agents of members that were just registered, possibly in the same run, to join. It waits for a member at most [predict.Grace]
// after its registration. Without these agents, the hub would place on other members or on none. awaitJoining returns the last non-empty list of joining
// members. Some of these members can have joined in the meantime. Any error ends the wait, because the apply has not written anything yet.
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

// warnNotJoined returns a warning that names the members that have not joined in time, or nil if all have joined. It does not warn about a member that has
// joined but was not picked by the scheduler.
func warnNotJoined(waited []string, prediction *predict.Prediction) []string {
	out := slices.DeleteFunc(waited, func(name string) bool { return prediction.HasJoined(name) })
	if len(out) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("the agents of %s have not joined yet. When they join, the hub places the objects on these members without another apply", strings.Join(out, ", "))}
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

// ReadPlacement reads the placement and its status on the hub. It removes the values that overrides mark as sensitive from the status. If p has no selectors,
// as in an import, the result has the fields that the provider or kubectl has applied. If the placement does not exist, ReadPlacement returns the result of
// readRemoved.
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

// DeletePlacement deletes the placement and waits until its Works and bindings are deleted, because the hub deletes the placement itself before the agents have
// deleted the objects on the members. Before the deletion, it adds temporary owners to the objects that must remain (see prepareRemoval).
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
		case refused: // the placement remains, and its agents do not apply an object with a temporary owner
			return nil, errors.Join(err, e.removeTemporaryOwners(ctx, kept, false))
		case err != nil: // the hub may have deleted the placement
			return &engine.Result{}, errors.Join(err, e.removeTemporaryOwners(ctx, kept, true))
		}
	}
	result, err := e.awaitClean(ctx, p.Reference)
	return result, errors.Join(err, e.removeTemporaryOwners(ctx, kept, true))
}

// prepareRemoval adds a temporary owner reference to each object that must remain, so that neither an agent nor the garbage collector deletes it. It returns an
// error if the removal would delete an object whose deletion the plan did not show. Without options.Expected and without the propagation policy Abandon, it
// does nothing.
func (e *Engine) prepareRemoval(ctx context.Context, p engine.Placement, options engine.DeleteOptions) ([]keptObject, error) {
	abandons := p.Spec.Defaulted().Strategy.DeleteStrategy.PropagationPolicy == placement.AbandonObjects
	if options.Expected == nil && !abandons {
		return nil, nil
	}
	prediction, err := predict.Removal(ctx, e.clusters, p, options)
	if err == nil {
		err = options.Expected.Verify(prediction.Preview())
	}
	if err != nil {
		return nil, err
	}
	return e.keep(ctx, prediction)
}

// deleteOnHub deletes the placement and waits until it is gone. A missing placement is not an error. refused reports that the hub has rejected the request. In
// that case, the placement remains.
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
