package memberapply

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Prune deletes the very object that was read, as it was read, and waits until it is gone: a namespace must not be there any more when its
// deletion counts as done. confirm is asked right before, and again when the object has changed meanwhile; what the object's action is
// after that, if it is no deletion any more, is the caller's. Another object that has its name by now is left.
func (r *Run) Prune(ctx context.Context, o *memberpreview.Object, confirm func(ctx context.Context, changed bool) error) error {
	for attempt := 1; ; attempt++ {
		if err := confirm(ctx, attempt > 1); err != nil || o.Action != takeover.ActionPrune {
			return err
		}
		err := r.delete(ctx, o, attempt == attempts)
		if !kube.IsConflict(err) {
			return err
		}
		live, getErr := r.member.Cluster.Get(ctx, o.Live.GroupVersionKind(), o.Live.GetNamespace(), o.Live.GetName())
		switch {
		case getErr != nil:
			return getErr
		case live.GetUID() != o.Live.GetUID():
			return nil
		case attempt == attempts:
			return err
		}
		o.Live = live
	}
}

// delete deletes an object while it is as it was read, or, of one that changes again and again, as it is by then.
func (r *Run) delete(ctx context.Context, o *memberpreview.Object, whatever bool) error {
	ref, cluster := kube.RefOf(o.Live), r.member.Cluster
	seen := kube.Seen{UID: string(o.Live.GetUID()), ResourceVersion: o.Live.GetResourceVersion()}
	if whatever {
		seen.ResourceVersion = ""
	}
	gone, err := cluster.RemoveUnchanged(ctx, ref, seen, metav1.DeletePropagationBackground)
	if kube.IsUnreachable(err) && ctx.Err() == nil {
		// The answer got lost, or the request did. One that got through has changed the object.
		gone, err = cluster.RemoveUnchanged(ctx, ref, kube.Seen{UID: seen.UID}, metav1.DeletePropagationBackground)
	}
	if err != nil || gone {
		return err
	}
	return cluster.WaitGone(ctx, ref, o.Live.GetUID())
}
