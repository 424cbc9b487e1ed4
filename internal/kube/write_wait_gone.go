package kube

import (
	"context"
	"math"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
)

// maxUnreachable is how long the cluster may be unreachable before WaitGone returns.
const maxUnreachable = 30 * time.Second

// WaitGone waits until the object with this UID no longer exists. If uid is empty, it waits until no object with this name exists. An object whose kind the
// cluster does not serve counts as gone. The interval between reads grows to one second. WaitGone retries after a transient error, and returns the error if
// the cluster is unreachable for maxUnreachable. It returns any other error immediately. If the context ends first, the error wraps a *StillThereError, or
// the context's error if the object was never read.
func (c *Cluster) WaitGone(ctx context.Context, ref Ref, uid types.UID) error {
	var last *StillThereError
	var since time.Time // when the cluster became unreachable
	pause := wait.Backoff{Duration: 200 * time.Millisecond, Factor: 1.5, Steps: math.MaxInt, Cap: time.Second}
	err := pause.DelayFunc().Until(ctx, true, true, func(ctx context.Context) (bool, error) {
		live, err := c.Get(ctx, ref.GVK, ref.Namespace, ref.Name)
		switch {
		case !IsUnreachable(err):
			since = time.Time{}
		case since.IsZero():
			since = time.Now()
		}
		switch {
		case IsNotFound(err), IsUnknownKind(err):
			return true, nil
		case err != nil && ctx.Err() != nil:
			return false, ctx.Err()
		case !since.IsZero() && time.Since(since) >= maxUnreachable:
			return false, err
		case IsTransient(err):
			if last != nil {
				last.Err = rootOf(err)
			}
			return false, nil
		case err != nil:
			return false, err
		case uid != "" && live.GetUID() != uid:
			return true, nil
		}
		last = newStillThereError(c.name, ref, live)
		return false, nil
	})
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil && last != nil:
		return c.wrap(opWait, ref, last)
	default:
		return c.wrap(opWait, ref, err)
	}
}

func newStillThereError(cluster string, ref Ref, live *unstructured.Unstructured) *StillThereError {
	found := &StillThereError{Cluster: cluster, Ref: ref, Finalizers: live.GetFinalizers()}
	if since := live.GetDeletionTimestamp(); since != nil {
		found.DeletingSince = since.Time
	}
	if ref.GVK.Kind != "Namespace" || ref.GVK.Group != "" {
		return found
	}
	conditions, _, _ := unstructured.NestedSlice(live.Object, "status", "conditions")
	for _, entry := range conditions {
		condition, _ := entry.(map[string]any)
		message, _ := condition["message"].(string)
		if condition["status"] == "True" && message != "" {
			found.Remaining = append(found.Remaining, message)
		}
	}
	return found
}
