package kubeadmiral

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

func unmarshal(data []byte, to *map[string]any) error { return utiljson.Unmarshal(data, to) }

// follow looks at what the control plane makes of what was written until it is done, until nothing moves any more though something is wrong, or until
// the time is over. Its result is never nil: there is a policy.
func (w *writing) follow(ctx context.Context) (*engine.Result, error) {
	var last placement.Status
	answered, settled := time.Now(), time.Now()
	for {
		now, err := w.look(kube.ReadAnew(ctx))
		switch {
		case err == nil:
			answered = time.Now()
		case !clusterset.IsOffline(err) && !kube.IsTransient(err), time.Since(answered) > w.engine.pace.Silence:
			return w.result(last, false), &engine.UnfollowedError{Err: err}
		}
		if err == nil {
			if !reflect.DeepEqual(now, last) {
				settled = time.Now()
				w.tell(now)
			}
			last = now
			waited, quiet := time.Since(settled) >= w.engine.pace.Retry, !w.moving && (!w.unread || time.Since(settled) >= w.engine.pace.Notice)
			if quiet && w.through(now) || (waited || quiet && w.asForeseen(now)) && w.stuck(now) {
				return w.result(last, false), nil
			}
		}
		if !w.engine.pause(ctx) {
			return w.result(last, true), nil
		}
	}
}

// look reads where the placement stands.
func (w *writing) look(ctx context.Context) (placement.Status, error) {
	of, hub := w.found.Placement.Reference, w.engine.clusters.Hub
	policy, _, err := host.Get[v1alpha1.PropagationPolicy](ctx, hub, host.PolicyKind(of.Namespace), of.Namespace, of.Name)
	if err != nil {
		return placement.Status{}, err
	}
	if policy == nil {
		return placement.Status{}, fmt.Errorf("the %s %q has been deleted on the host meanwhile", host.PolicyKind(of.Namespace), of)
	}
	federated, err := host.OfPolicy(ctx, hub, of)
	if err != nil {
		return placement.Status{}, err
	}
	w.moving = w.leaves(federated)
	a := foreseen(w.found, policy.Generation, federated)
	a.failed = w.failed
	a.behind = func(k key) bool {
		stored := w.written[k]
		return stored != nil && !noticed(federated[k], stored)
	}
	w.moving = w.moving || a.pending()
	status, err := w.engine.statusOf(ctx, a)
	w.unread = a.unread
	return status, err
}

// noticed tells whether the control plane has noticed an object as it was written: by its generation where it counts one, and by its keys.
func noticed(f convert.Federated, stored *unstructured.Unstructured) bool {
	keys := convert.KeysIn(stored)
	if !keys.Held(f.Labels, f.Annotations) {
		return false
	}
	template := &unstructured.Unstructured{}
	if err := template.UnmarshalJSON(f.Spec.Template.Raw); err != nil {
		return false
	}
	if stored.GetGeneration() != 0 {
		return template.GetGeneration() >= stored.GetGeneration()
	}
	for field, value := range stored.Object {
		if field != "metadata" && field != "status" && !reflect.DeepEqual(value, template.Object[field]) {
			return false
		}
	}
	return true
}

// through tells whether everything is as it is to be.
func (w *writing) through(status placement.Status) bool {
	for _, c := range status.Clusters {
		if !c.IsScheduled() {
			continue
		}
		applied, found := c.Condition(placement.Applied)
		if !found || applied.Status != placement.True {
			return false
		}
		if available, found := c.Condition(placement.Available); w.options.WaitUntilAvailable && (!found || available.Status != placement.True) {
			return false
		}
	}
	return true
}

// asForeseen tells whether nothing is wrong but that objects are left alone which the preview has shown so: the host tries those again and again, and
// nothing comes of it.
func (w *writing) asForeseen(status placement.Status) bool {
	for name, c := range status.Clusters {
		if c.IsScheduled() && c.Unreachable {
			return false
		}
		for _, f := range c.FailedPlacements {
			if f.Condition.Type == placement.Applied && w.left(name, f.Key()) == nil {
				return false
			}
		}
	}
	return true
}

// stuck tells whether something is wrong that does not mend itself soon, while nothing is under way: a cluster that is not reached, or an object that is
// refused.
func (w *writing) stuck(status placement.Status) bool {
	for _, c := range status.Clusters {
		if applied, found := c.Condition(placement.Applied); c.IsScheduled() && found && applied.Status == placement.Unknown && !c.Unreachable {
			return false
		}
		if available, found := c.Condition(placement.Available); w.options.WaitUntilAvailable && c.IsScheduled() && found && available.Status != placement.True {
			return false
		}
	}
	return true
}

// tell tells how far it is.
func (w *writing) tell(status placement.Status) {
	if w.options.Progress == nil {
		return
	}
	fields := map[string]any{}
	for name, c := range status.Clusters {
		fields[name] = string(c.Phase())
	}
	w.options.Progress("The host places the objects", fields)
}

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
		for _, o := range slices.Concat(c.Items, c.Leftovers) {
			known := slices.ContainsFunc(out.Objects, func(r engine.ObjectResult) bool { return r.Cluster == c.Name && r.Key() == o.Key() })
			_, stays := w.kept[o.Key()]
			if !known && !stays && o.Action.Writes() {
				out.Objects = append(out.Objects, engine.ObjectResult{Cluster: c.Name, Identifier: o.Identifier, Action: o.Action})
			}
		}
	}
	return out
}

// left is an object that the preview has shown to be left alone on a cluster; nil for any other.
func (w *writing) left(cluster string, of key) *memberpreview.Object {
	if item := w.item(cluster, of); item != nil && item.Action.Leaves() {
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

// objectResult is what has come of an object that is not as it is to be.
func (w *writing) objectResult(cluster string, f placement.FailedPlacement) engine.ObjectResult {
	out := engine.ObjectResult{Cluster: cluster, Identifier: f.Identifier, Action: takeover.ActionUpdate}
	if f.Condition.Type == placement.Available {
		if item := w.item(cluster, f.Key()); item != nil && item.Action.Writes() {
			out.Action = item.Action
		}
		out.Waiting = &f.Condition
		return out
	}
	out.Failure = &f.Condition
	if item := w.left(cluster, f.Key()); item != nil {
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
