package memberapply

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Prune deletes an object, and waits until it no longer exists. It deletes only the version that was read. In the last attempt, and after a lost response, it
// deletes any version. It never deletes another object with the same name: if the object was recreated, Prune returns nil. If the object is deleted by
// others, Prune can return a "not found" error.
//
// Before each attempt, Prune calls confirm, whose argument changed reports whether the object has changed since the previous attempt. If confirm changes the
// action of the object, Prune deletes nothing and returns nil, and the caller handles the object.
func (r *Run) Prune(ctx context.Context, o *memberpreview.Object, confirm func(ctx context.Context, changed bool) error) error {
	for attempt := 1; ; attempt++ {
		if err := confirm(ctx, attempt > 1); err != nil || o.Action != takeover.ActionPrune {
			return err
		}
		err := r.delete(ctx, o, attempt == maxAttempts)
		if !kube.IsConflict(err) {
			return err
		}
		live, getErr := r.member.Cluster.Get(ctx, o.Live.GroupVersionKind(), o.Live.GetNamespace(), o.Live.GetName())
		switch {
		case getErr != nil:
			return getErr
		case live.GetUID() != o.Live.GetUID():
			return nil
		case attempt == maxAttempts:
			return err
		}
		o.Live = live
	}
}

// delete deletes the version of an object that was read, or any version if anyVersion is set, and waits until the object is gone.
func (r *Run) delete(ctx context.Context, o *memberpreview.Object, anyVersion bool) error {
	ref, cluster := kube.RefOf(o.Live), r.member.Cluster
	seen := kube.Seen{UID: string(o.Live.GetUID()), ResourceVersion: o.Live.GetResourceVersion()}
	if anyVersion {
		seen.ResourceVersion = ""
	}
	isGone, err := cluster.RemoveUnchanged(ctx, ref, seen, metav1.DeletePropagationBackground)
	if kube.IsUnreachable(err) && ctx.Err() == nil {
		// The request or its response was lost. If the request succeeded, the object has another version now.
		isGone, err = cluster.RemoveUnchanged(ctx, ref, kube.Seen{UID: seen.UID}, metav1.DeletePropagationBackground)
	}
	if err != nil || isGone {
		return err
	}
	return cluster.WaitGone(ctx, ref, o.Live.GetUID())
}
