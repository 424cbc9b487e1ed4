package memberapply

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/rollout"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// maxAttempts limits the attempts to write an object whose content others keep changing. maxBusyAttempts limits the additional attempts after conflicts
// without a change of the content: for example, a controller has written the status.
const maxAttempts, maxBusyAttempts = 4, 20

// Apply writes the objects wave by wave. Objects whose kinds are not served yet are written last. A failure of one object does not stop the others. A member
// that becomes unreachable receives no further writes.
func (r *Run) Apply(ctx context.Context, objects []*memberpreview.Object) {
	waves := map[int][]*memberpreview.Object{}
	for _, o := range objects {
		wave := rollout.LastWave
		if o.Served() {
			wave = rollout.Wave(o.Mapping.GVR.Group, o.Mapping.GVR.Resource)
		}
		waves[wave] = append(waves[wave], o)
	}
	for _, wave := range slices.Sorted(maps.Keys(waves)) {
		inParallel(waves[wave], func(o *memberpreview.Object) {
			if !r.isAwaitingKind(o) {
				r.apply(ctx, o)
			}
		})
		r.awaitDefinitions(ctx, waves[wave], objects)
	}
	r.applyUnserved(ctx, objects)
}

// Remove calls work for objects that no longer belong on the member, in the reverse order of the waves.
func (r *Run) Remove(objects []*memberpreview.Object, work func(*memberpreview.Object)) {
	waves := map[int][]*memberpreview.Object{}
	for _, o := range objects {
		wave := rollout.Wave(o.Mapping.GVR.Group, o.Mapping.GVR.Resource)
		waves[wave] = append(waves[wave], o)
	}
	for _, wave := range slices.Backward(slices.Sorted(maps.Keys(waves))) {
		inParallel(waves[wave], work)
	}
}

func inParallel(objects []*memberpreview.Object, work func(*memberpreview.Object)) {
	group := errgroup.Group{}
	group.SetLimit(kube.MaxParallel)
	for _, o := range objects {
		group.Go(func() error {
			work(o)
			return nil
		})
	}
	_ = group.Wait()
}

func (r *Run) apply(ctx context.Context, o *memberpreview.Object) {
	if !o.Action.Writes() {
		r.RecordLeft(o)
		return
	}
	if err := r.Unreachable(); err != nil {
		r.FailWrite(o, err)
		return
	}
	result, err := r.place(ctx, o)
	switch {
	case err == nil:
		r.member.Written(o, result)
		r.Record(o, Outcome{})
	case errors.Is(err, errUnchanged):
		r.RecordLeft(o)
	default:
		if kube.IsUnreachable(err) {
			r.MarkUnreachable(err)
		}
		r.FailWrite(o, err)
	}
}

// place writes an object and returns the result. If the object was changed or deleted since the decision, or the response was lost, place reads the object
// and decides again. It returns errUnchanged if the new decision leaves the object unchanged. If the object's Namespace does not exist, place waits while
// another placement of the run may create the Namespace.
func (r *Run) place(ctx context.Context, o *memberpreview.Object) (*unstructured.Unstructured, error) {
	for attempt, busy := 1, 0; ; attempt++ {
		result, err := r.member.Writer.Write(ctx, o, o.Action, false)
		if err == nil {
			return result, nil
		}
		if !o.IsNamespace() && kube.IsNamespaceNotFound(err) && r.mayArrive != nil && r.mayArrive(nil) && clusterset.Pause(ctx, arrivalInterval) {
			attempt = 0 // another placement of the run may create the Namespace
			continue
		}
		isLost := kube.IsUnreachable(err) && attempt == 1
		if kube.IsAlreadyExists(err) && o.Live == nil && attempt == 1 {
			return nil, errAppeared
		}
		if !isLost && !kube.IsOutdated(err) && !kube.IsAlreadyExists(err) && !o.IsGone(err) || attempt == maxAttempts || ctx.Err() != nil {
			return nil, err
		}
		before := o.Live
		done, readErr := r.reconsider(ctx, o)
		switch {
		case kube.IsUnreachable(readErr):
			return nil, err
		case readErr != nil:
			return nil, readErr
		case done:
			return o.Live, nil
		case kube.IsOutdated(err) && before != nil && o.Live != nil && busy < maxBusyAttempts && diff.Same(before, o.Live):
			attempt, busy = attempt-1, busy+1
		}
	}
}

var (
	errAppeared = errors.New("the object appeared on the cluster after the preview, and remains unchanged. Plan again to see it")
	errReplaced = errors.New("the object was replaced by another one of the same name after the preview; the new object remains unchanged. Plan " +
		"again to see it")
	// errUnchanged is returned for an object that remains unchanged after a new decision; the object has the reason.
	errUnchanged = errors.New("the object remains unchanged")
	errVanished  = errors.New("the object was deleted from the cluster after the preview; the next apply creates it again")
)

// reconsider reads the object and decides again. done reports whether the object is as desired already. If done is false and err is nil, the object must be
// written again.
func (r *Run) reconsider(ctx context.Context, o *memberpreview.Object) (done bool, err error) {
	live, err := r.member.Cluster.Get(ctx, o.GroupVersionKind(), o.Desired.GetNamespace(), o.Name)
	isMissing := kube.IsNotFound(err)
	if err != nil && !isMissing {
		return false, err
	}
	switch {
	case o.Live == nil && isMissing:
		return false, nil
	case o.Live == nil && r.isMarked(o, live):
		o.Live = live // the create succeeded, but its response was lost
		return true, nil
	case o.Live == nil:
		return false, errAppeared
	case isMissing:
		return false, errVanished
	case live.GetUID() != o.Live.GetUID():
		return false, errReplaced
	}
	if err := r.before(ctx, live); err != nil {
		return false, err
	}
	if isSameContent(o.Live, live) {
		// The decision remains valid. A new one could contradict the plan, because a migration of managedFields can change the object's mark.
		o.Live = live
		return false, nil
	}
	before := o.Action
	o.Live = live
	if err := r.member.Decide(ctx, o); err != nil {
		return false, err
	}
	switch o.Action {
	case takeover.ActionUpdate, takeover.ActionTakeOver, takeover.ActionTakeOverFrom:
		return false, nil
	case takeover.ActionNone:
		return true, nil
	case takeover.ActionLeaveAlone, takeover.ActionLeaveDrifted, takeover.ActionReject:
		return false, errUnchanged
	case takeover.ActionCreate, takeover.ActionReplace, takeover.ActionReport, takeover.ActionPrune, takeover.ActionOrphan, takeover.ActionHandOver,
		takeover.ActionDefer, takeover.ActionUnknown:
	}
	return false, fmt.Errorf("the object has changed since the preview: the action was %s and is now %s. Apply again", before, o.Action)
}

// isSameContent reports whether two versions of an object differ at most in their status, managedFields, resourceVersion and generation.
func isSameContent(before, live *unstructured.Unstructured) bool {
	return reflect.DeepEqual(contentOf(before), contentOf(live))
}

func contentOf(u *unstructured.Unstructured) map[string]any {
	out := maps.Clone(u.Object)
	delete(out, "status")
	if metadata, is := out["metadata"].(map[string]any); is {
		metadata = maps.Clone(metadata)
		for _, field := range []string{"managedFields", "resourceVersion", "generation"} {
			delete(metadata, field)
		}
		out["metadata"] = metadata
	}
	return out
}

// isMarked reports whether a live object has the mark of the placement.
func (r *Run) isMarked(o *memberpreview.Object, live *unstructured.Unstructured) bool {
	found := *o
	found.Live = live
	return r.member.Ownership.Marked(&found)
}
