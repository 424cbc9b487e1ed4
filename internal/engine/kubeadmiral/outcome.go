package kubeadmiral

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// result is what the apply has come to.
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
		f, found = w.namespaces[k]
	}
	standing, _, _ := f.On(cluster)
	return found && f.Current() && standing == convert.StandingDone && (isNamespace(k) || w.written[k] == nil || noticed(f, w.written[k]))
}

// isGone reports whether the control plane has deleted an object on a cluster, or has removed its label there.
func (w *writing) isGone(cluster string, k key) bool {
	f := w.federated[k]
	if isNamespace(k) {
		f = w.namespaces[k]
	}
	_, _, told := f.On(cluster)
	return w.federated != nil && !told && !slices.Contains(f.Placed(), cluster)
}

// isIdle reports whether no FederatedObject of the placement has changed since before the apply.
func (w *writing) isIdle() bool {
	before := w.found.Fleet.Federated
	return len(w.federated)+len(before) == 0 || reflect.DeepEqual(w.federated, before)
}

// placedNamespaces reads the FederatedObjects of the Namespaces that the apply changes on a member: they have no label of the policy.
func (w *writing) placedNamespaces(ctx context.Context) (map[key]convert.Federated, error) {
	out := map[key]convert.Federated{}
	for _, c := range w.found.Clusters {
		for _, o := range slices.Concat(c.Items, c.Leftovers) {
			if _, known := out[o.Key()]; known || !o.IsNamespace() || !o.Action.Writes() {
				continue
			}
			found, err := host.FederatedOf(ctx, w.engine.clusters.Hub, o.Identifier, w.found.Fleet.Types[o.GroupVersionKind()])
			if err != nil {
				return nil, err
			}
			if found != nil {
				out[o.Key()] = *found
			}
		}
	}
	return out, nil
}

// unplaced returns an object that the preview shows as skipped or rejected on a cluster; nil for all others.
func (w *writing) unplaced(cluster string, of key) *memberpreview.Object {
	if item := w.item(cluster, of); item != nil && (item.Action.Leaves() || item.Action == takeover.ActionReject) {
		return item
	}
	return nil
}

// item is an object as the preview has seen it on a cluster; nil where it has not.
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

// objectResult is the result of an object that is not applied or not available.
func (w *writing) objectResult(cluster string, f placement.FailedPlacement) engine.ObjectResult {
	out := engine.ObjectResult{Cluster: cluster, Identifier: f.Identifier, Action: takeover.ActionUpdate}
	if f.Condition.Type == placement.Available {
		out.Action = takeover.ActionNone
		if item := w.item(cluster, f.Key()); item != nil && item.Action.Writes() {
			out.Action = item.Action
		}
		out.Waiting = &f.Condition
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
