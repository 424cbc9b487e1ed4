package kubeadmiral

import (
	"context"
	"fmt"
	"reflect"
	"time"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

func unmarshal(data []byte, to *map[string]any) error { return utiljson.Unmarshal(data, to) }

// follow polls the host until the control plane has propagated all writes, until only objects with problems remain, or until the timeout expires. It does
// not poll if scheduling is still suspended. If the host cannot be read, it returns an [*engine.UnfollowedError]. The result is never nil, because the
// policy is already written.
func (w *writing) follow(ctx context.Context) (*engine.Result, error) {
	last := w.status
	if w.suspended {
		return w.result(last, ctx.Err() != nil), nil
	}
	settled := time.Now()
	// first is the time of the first poll in which isOver was true. ended is the time since which isOver has been true in every poll, and zero if it is false.
	var first, ended time.Time
	done, err := controlplane.Poll(ctx, w.engine.pace.Pace, func(ctx context.Context) (bool, error) {
		now, err := w.readStatus(kube.ReadUnshared(ctx))
		if err != nil {
			return false, err
		}
		if !reflect.DeepEqual(now, last) {
			settled = time.Now()
			w.logProgress(now)
		}
		last = now
		waited, quiet := time.Since(settled) >= w.engine.pace.Retry, !w.moving && (!w.unread || time.Since(settled) >= w.engine.pace.Notice)
		isOver := quiet && w.isComplete(now, time.Since(settled)) || (waited || quiet && w.isAsPreviewed(now)) && w.isStuck(now)
		if !isOver {
			ended = time.Time{}
			return false, nil
		}
		if ended.IsZero() {
			ended = time.Now()
		}
		if first.IsZero() {
			first = ended
		}
		fedBack, err := w.isFedBack(ctx)
		return err == nil && fedBack || time.Since(ended) >= w.engine.pace.Notice || time.Since(first) >= 3*w.engine.pace.Notice, nil
	})
	if err != nil {
		return w.result(last, false), &engine.UnfollowedError{Err: err}
	}
	return w.result(last, !done && ended.IsZero()), nil
}

func (w *writing) readStatus(ctx context.Context) (placement.Status, error) {
	of, hub := w.found.Placement.Reference, w.engine.clusters.Hub
	policy, _, err := host.Get[v1alpha1.PropagationPolicy](ctx, hub, host.PolicyKind(of.Namespace), of.Namespace, of.Name)
	if err != nil {
		return placement.Status{}, err
	}
	if policy == nil {
		return placement.Status{}, fmt.Errorf("the %s %q was deleted on the host during the apply", host.PolicyKind(of.Namespace), of)
	}
	federated, err := host.OfPolicy(ctx, hub, of)
	if err != nil {
		return placement.Status{}, err
	}
	if w.unlabelled, err = w.engine.unlabelledObjects(ctx, w.found); err != nil {
		return placement.Status{}, err
	}
	w.federated, w.moving = federated, w.leaves(federated)
	a := predictedAccount(w.found, policy.Generation, federated)
	a.failed = w.failed
	a.behind = func(k key) bool {
		stored := w.written[k]
		return stored != nil && !federated[k].Observes(stored)
	}
	w.moving = w.moving || a.isPending()
	status, err := w.engine.statusOf(ctx, a)
	w.unread = a.unread
	if w.options.WaitUntilAvailable {
		w.missing = memberpreview.FindMissing(ctx, w.engine.clusters, status, w.options.Expected, w.item)
	}
	return status, err
}

// isComplete reports whether all objects are applied on every picked cluster and, with WaitUntilAvailable, available. If workloads are unavailable only because
// they refer to objects that do not exist, they count as available once the status has been unchanged for [memberpreview.ArrivalTime].
func (w *writing) isComplete(status placement.Status, unchanged time.Duration) bool {
	for name, c := range status.Clusters {
		if !c.IsScheduled() {
			continue
		}
		applied, found := c.Condition(placement.Applied)
		if !found || applied.Status != placement.True {
			return false
		}
		available, found := c.Condition(placement.Available)
		if w.options.WaitUntilAvailable && (!found || available.Status != placement.True) &&
			(unchanged < memberpreview.ArrivalTime || !w.missing.Explains(name, c)) {
			return false
		}
	}
	return true
}

// isAsPreviewed reports whether the preview shows every object that could not be applied as skipped or rejected, and no picked cluster is unreachable. The
// host retries such objects endlessly, so waiting does not help.
func (w *writing) isAsPreviewed(status placement.Status) bool {
	for name, c := range status.Clusters {
		if c.IsScheduled() && c.Unreachable {
			return false
		}
		for _, f := range c.FailedPlacements {
			if f.Condition.Type == placement.Applied && w.unplaced(name, f.Key()) == nil {
				return false
			}
		}
	}
	return true
}

// isStuck reports whether no picked cluster is in progress: each one is complete, is unreachable, or has objects that could not be applied.
func (w *writing) isStuck(status placement.Status) bool {
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

func (w *writing) logProgress(status placement.Status) {
	if w.options.Progress == nil {
		return
	}
	fields := map[string]any{}
	for name, c := range status.Clusters {
		fields[name] = string(c.Phase())
	}
	w.options.Progress("The host places the objects", fields)
}
