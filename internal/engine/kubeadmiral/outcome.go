package kubeadmiral

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/predict"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// result returns the result of the apply. If status is empty, the result has the prior status.
func (w *writing) result(status placement.Status, timedOut bool) *engine.Result {
	if status.Clusters == nil && w.found.Placement.Prior != nil {
		status = *w.found.Placement.Prior
	}
	out := &engine.Result{Status: status, TimedOut: timedOut}
	for _, name := range slices.Sorted(maps.Keys(status.Clusters)) {
		for _, f := range status.Clusters[name].FailedPlacements {
			out.Objects = append(out.Objects, w.objectResult(name, f))
		}
	}
	for _, c := range w.found.Clusters {
		done := func(o *memberpreview.Object, carriedOut bool) {
			known := slices.ContainsFunc(out.Objects, func(r engine.ObjectResult) bool { return r.Cluster == c.Name && r.Key() == o.Key() })
			_, stays := w.kept[o.Key()]
			if !known && !stays && carriedOut && o.Action.Writes() {
				out.Objects = append(out.Objects, engine.ObjectResult{Cluster: c.Name, Identifier: o.Identifier, Action: o.Action})
			}
		}
		for _, o := range c.Items {
			done(o, w.isDone(c.Name, o.Key()))
		}
		for _, o := range c.Leftovers {
			done(o, w.isGone(c.Name, o.Key()))
		}
	}
	if timedOut && (w.suspended || w.moving) && w.isIdle() {
		out.Warnings = append(out.Warnings, fmt.Sprintf("KubeAdmiral's controller manager on the host cluster %q has done nothing since this apply wrote the placement: "+
			"no FederatedObject of the placement has changed. Nothing changes on the members until it runs. Check that it runs, then apply again",
			w.engine.clusters.Hub.Name()))
	}
	return out
}

// isDone reports whether the control plane has applied an object on a cluster as it was written to the host.
func (w *writing) isDone(cluster string, k key) bool {
	f, found := w.federated[k]
	if isNamespace(k) {
		f, found = w.unlabelled[k]
	}
	state, _, _ := f.On(cluster)
	return found && f.Current() && state == convert.SyncDone && (isNamespace(k) || w.written[k] == nil || f.Observes(w.written[k]))
}

// isGone reports whether the control plane has deleted an object on a cluster, or has removed the control plane's label from the object there.
func (w *writing) isGone(cluster string, k key) bool {
	f, found := w.unlabelled[k]
	if !found {
		f = w.federated[k]
	}
	return w.federated != nil && !f.Involves(cluster)
}

// isIdle reports whether no FederatedObject of the placement has changed since the beginning of the apply.
func (w *writing) isIdle() bool {
	before := w.found.Fleet.Federated
	return len(w.federated)+len(before) == 0 || reflect.DeepEqual(w.federated, before)
}

// unlabelledObjects reads the FederatedObjects of the Namespaces and followers that are predicted to change on a member. These FederatedObjects do not have
// the label of the policy.
func (e *Engine) unlabelledObjects(ctx context.Context, found *predict.Prediction) (map[key]convert.Federated, error) {
	out := map[key]convert.Federated{}
	for _, c := range found.Clusters {
		for _, o := range slices.Concat(c.Items, c.Leftovers) {
			if _, known := out[o.Key()]; known || !o.IsNamespace() && !found.IsFollower(o.Key()) || !o.Action.Writes() {
				continue
			}
			federated, err := host.FederatedOf(ctx, e.clusters.Hub, o.Identifier, found.Fleet.Types[o.GroupVersionKind()])
			if err != nil {
				return nil, err
			}
			if federated != nil {
				out[o.Key()] = *federated
			}
		}
	}
	return out, nil
}

// remainingFollowers returns the followers that are still on a member from which the control plane will delete them. It ignores members that the control
// plane cannot reach, and members that the run removes. unlabelled is the result of unlabelledObjects.
func remainingFollowers(found *predict.Prediction, unlabelled map[key]convert.Federated) []manifest.Identifier {
	var out []manifest.Identifier
	for _, c := range found.Clusters {
		if c.Leaves() {
			continue // the member leaves after this apply
		}
		for _, o := range c.Leftovers {
			f, known := unlabelled[o.Key()]
			if known && found.IsFollower(o.Key()) && o.Action == takeover.ActionPrune && isOn(f, c.Name) && !slices.Contains(out, o.Identifier) {
				out = append(out, o.Identifier)
			}
		}
	}
	return out
}

// isOn reports whether the control plane can reach a member, and an object is on the member or will be.
func isOn(f convert.Federated, cluster string) bool {
	state, _, _ := f.On(cluster)
	return state != convert.SyncUnreachable && f.Involves(cluster)
}

// awaitFollowers waits, at most for Pace.Retry, until the control plane has deleted the followers of a placement that is removed. It returns the followers
// that remain.
func (e *Engine) awaitFollowers(ctx context.Context, found *predict.Prediction) ([]manifest.Identifier, error) {
	if len(found.Fleet.Followers) == 0 {
		return nil, nil
	}
	began := time.Now()
	var remaining []manifest.Identifier
	_, err := controlplane.Poll(ctx, e.pace.Pace, func(ctx context.Context) (bool, error) {
		unlabelled, err := e.unlabelledObjects(kube.ReadUnshared(ctx), found)
		if err == nil {
			remaining = remainingFollowers(found, unlabelled)
		}
		return len(remaining) == 0 || time.Since(began) > e.pace.Retry, err
	})
	return remaining, err
}

// unplaced returns the preview of an object that is shown as skipped or rejected on a cluster, and nil for any other object.
func (w *writing) unplaced(cluster string, of key) *memberpreview.Object {
	if item := w.item(cluster, of); item != nil && (item.Action.Leaves() || item.Action == takeover.ActionReject) {
		return item
	}
	return nil
}

func (w *writing) item(cluster string, of key) *memberpreview.Object {
	c := w.found.Cluster(cluster)
	if c == nil {
		return nil
	}
	i := slices.IndexFunc(c.Items, func(item *memberpreview.Object) bool { return item.Key() == of })
	if i < 0 {
		return nil
	}
	return c.Items[i]
}

func (w *writing) objectResult(cluster string, f placement.FailedPlacement) engine.ObjectResult {
	out := engine.ObjectResult{Cluster: cluster, Identifier: f.Identifier, Action: takeover.ActionUpdate}
	if f.Condition.Type == placement.Available {
		out.Action = takeover.ActionNone
		if item := w.item(cluster, f.Key()); item != nil && item.Action.Writes() {
			out.Action = item.Action
		}
		out.Waiting, out.Missing = &f.Condition, w.missing[cluster][f.Key()]
		return out
	}
	out.Failure = &f.Condition
	if item := w.unplaced(cluster, f.Key()); item != nil {
		out.Action, out.Obstacle, out.Owner = item.Action, item.Obstacle, item.Owner
		return out
	}
	switch f.Condition.Reason {
	case takeover.ReasonNotTakenOver:
		out.Action, out.Obstacle = takeover.ActionLeaveAlone, takeover.ObstacleMode
	case takeover.ReasonFailedToTakeOver:
		out.Action, out.Obstacle = takeover.ActionLeaveAlone, takeover.ObstacleDifferences
	default:
		out.Action, out.Obstacle = takeover.ActionReject, takeover.ObstacleAdmission
	}
	return out
}
