package memberapply

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/rollout"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

const (
	// objectsAtOnce is how many objects of a wave are written at once.
	objectsAtOnce = 8
	// attempts is how often an object is written that changes again and again while it is being decided about.
	attempts = 4
)

// Apply writes the objects wave by wave. A failure of one object does not stop the others; a member that stops answering is left.
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
			if !r.awaitsKind(o) {
				r.apply(ctx, o)
			}
		})
		r.awaitDefinitions(ctx, waves[wave], objects)
	}
	r.applyUnserved(ctx, objects)
}

// Remove works on objects that no longer belong on the member, in the reverse order of the waves.
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
	group.SetLimit(objectsAtOnce)
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
	case errors.Is(err, errLeft):
		r.RecordLeft(o)
	default:
		if kube.IsUnreachable(err) {
			r.MarkUnreachable(err)
		}
		r.FailWrite(o, err)
	}
}

// place writes an object. When it has changed since it was decided about, or the answer got lost, it is looked at again: a decision is
// never carried out on another object than the one it was made for.
func (r *Run) place(ctx context.Context, o *memberpreview.Object) (*unstructured.Unstructured, error) {
	for attempt := 1; ; attempt++ {
		result, err := r.member.Writer.Write(ctx, o, o.Action, false)
		if err == nil {
			return result, nil
		}
		if !o.IsNamespace() && kube.IsNamespaceNotFound(err) && r.mayArrive != nil && r.mayArrive(nil) && clusterset.Pause(ctx, arrivalInterval) {
			attempt = 0 // another placement of the run may create the Namespace
			continue
		}
		lost := kube.IsUnreachable(err) && attempt == 1
		if kube.IsAlreadyExists(err) && o.Live == nil && attempt == 1 {
			return nil, errAppeared
		}
		if !lost && !kube.IsOutdated(err) && !kube.IsAlreadyExists(err) || attempt == attempts || ctx.Err() != nil {
			return nil, err
		}
		done, lookErr := r.reconsider(ctx, o)
		switch {
		case kube.IsUnreachable(lookErr):
			return nil, err
		case lookErr != nil:
			return nil, lookErr
		case done:
			return o.Live, nil
		}
	}
}

var (
	errAppeared = errors.New("the object has appeared on the cluster since the preview was made; it was left as it is. " +
		"Plan again to see what it is")
	errReplaced = errors.New("the object has been replaced by another one of the same name since the preview was made; that one was left as " +
		"it is. Plan again to see what it is")
	// errLeft is an object that was decided about anew, and is left; the object says why.
	errLeft     = errors.New("the object is left as it is")
	errVanished = errors.New("the object has been deleted from the cluster since the preview was made; the next apply places it anew")
)

// reconsider looks at the object again and decides again. done says that it is as it is to be already.
func (r *Run) reconsider(ctx context.Context, o *memberpreview.Object) (done bool, err error) {
	live, err := r.member.Cluster.Get(ctx, o.GroupVersionKind(), o.Desired.GetNamespace(), o.Name)
	missing := kube.IsNotFound(err)
	if err != nil && !missing {
		return false, err
	}
	switch {
	case o.Live == nil && missing:
		return false, nil
	case o.Live == nil && r.marked(o, live):
		o.Live = live // the create went through, and its answer got lost
		return true, nil
	case o.Live == nil:
		return false, errAppeared
	case missing:
		return false, errVanished
	case live.GetUID() != o.Live.GetUID():
		return false, errReplaced
	}
	if err := r.before(ctx, live); err != nil {
		return false, err
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
		return false, errLeft
	case takeover.ActionCreate, takeover.ActionReplace, takeover.ActionReport, takeover.ActionPrune, takeover.ActionOrphan, takeover.ActionHandOver,
		takeover.ActionDefer, takeover.ActionUnknown:
	}
	return false, fmt.Errorf("the object has changed since the preview was made: what was %s is now %s. Apply again", before, o.Action)
}

// marked tells whether an object that was found is one that the placement has made.
func (r *Run) marked(o *memberpreview.Object, live *unstructured.Unstructured) bool {
	found := *o
	found.Live = live
	return r.member.Ownership.Marked(&found)
}
