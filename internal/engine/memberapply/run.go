package memberapply

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/rollout"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// Run is what comes of the objects on one member.
type Run struct {
	member *memberpreview.Member
	// before is called before it is decided again about an object that has changed since it was read.
	before func(ctx context.Context, live *unstructured.Unstructured) error
	// mayArrive is that of [engine.ApplyOptions].
	mayArrive func(kinds []schema.GroupVersionKind) bool

	mu       sync.Mutex
	outcomes map[*memberpreview.Object]*Outcome
	// unreachable is why the member stopped answering while it was worked on.
	unreachable error
}

// New returns a run on a member, nil for one that cannot be reached: then nothing can be written, and outcomes can still be told. before is
// called before it is decided again about an object that has changed.
func New(member *memberpreview.Member, before func(ctx context.Context, live *unstructured.Unstructured) error) *Run {
	return &Run{member: member, before: before, outcomes: map[*memberpreview.Object]*Outcome{}}
}

// AwaitKinds has the run wait for kinds that are not served while they may arrive; see [engine.ApplyOptions].
func (r *Run) AwaitKinds(mayArrive func(kinds []schema.GroupVersionKind) bool) {
	r.mayArrive = mayArrive
}

// Outcome is what came of one object.
type Outcome struct {
	// Failure is the condition of an object that is not as it is to be, Waiting that of one that is not available yet.
	Failure, Waiting *placement.Condition
	// Pending objects are not as they are to be, though nothing has failed: they are yet to be written.
	Pending bool
	// Untracked objects have no availability that could be told.
	Untracked bool
	// Missing are the objects that a Waiting one needs and that are not on the cluster, as the plan has shown: it is not waited for.
	Missing []manifest.Identifier
	// Gone objects are no longer there, or no longer the placement's.
	Gone bool
}

// Outcome returns what came of an object, nil if nothing was done about it.
func (r *Run) Outcome(o *memberpreview.Object) *Outcome {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.outcomes[o]
}

// Record notes what came of an object.
func (r *Run) Record(o *memberpreview.Object, outcome Outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.outcomes[o] = &outcome
}

// Fail notes that an object is not as it is to be, in a condition of a type.
func (r *Run) Fail(o *memberpreview.Object, conditionType, reason, message string) {
	r.Record(o, Outcome{Failure: &placement.Condition{
		Type: conditionType, Status: placement.False, Reason: reason, Message: message, ObservedGeneration: Generation(o),
	}})
}

// FailWrite notes that an object could not be written.
func (r *Run) FailWrite(o *memberpreview.Object, err error) {
	rejected := takeover.Rejected(takeover.ObstacleAdmission, takeover.ReasonManifestApplyFailed, o.Hidden.Text(err.Error()))
	r.Fail(o, placement.Applied, rejected.Reason, rejected.Message())
}

// FailAll notes that nothing that was to be written was.
func (r *Run) FailAll(objects []*memberpreview.Object, err error) {
	for _, o := range objects {
		switch {
		case o.Action.Writes():
			r.FailWrite(o, err)
		case o.Desired != nil:
			r.RecordLeft(o)
		}
	}
}

// RecordLeft notes what was decided about an object that is not written: what there is to tell of it under strategy type ReportDiff, and
// why it is left otherwise.
func (r *Run) RecordLeft(o *memberpreview.Object) {
	switch {
	case o.Action == takeover.ActionNone:
		r.Record(o, Outcome{})
	case o.Action != takeover.ActionReport:
		r.Fail(o, placement.Applied, o.Reason, o.Message)
	case o.Obstacle != takeover.ObstacleNone:
		r.Fail(o, placement.DiffReported, o.Reason, o.Message)
	default:
		r.Record(o, Outcome{})
	}
}

// MarkUnreachable notes that the member has stopped answering.
func (r *Run) MarkUnreachable(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.unreachable == nil {
		r.unreachable = err
	}
}

// Unreachable is why the member does not answer any more, nil while it does.
func (r *Run) Unreachable() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.unreachable
}

// State is what was made of the member. What the takeover mode leaves alone is no failure: the plan said so, and nothing that works was
// touched.
func (r *Run) State() rollout.State {
	if r.Unreachable() != nil {
		return rollout.Unreachable
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	state := rollout.Ready
	for o, outcome := range r.outcomes {
		switch {
		case outcome.Failure != nil && !o.Action.Leaves(), len(outcome.Missing) > 0:
			return rollout.Failing
		case outcome.Waiting != nil:
			state = rollout.NotReady
		}
	}
	return state
}

// Trackable tells whether the availability of all objects can be told.
func (r *Run) Trackable() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, outcome := range r.outcomes {
		if outcome.Untracked {
			return false
		}
	}
	return true
}

// Generation is that of the object as it is; 0 if there is none.
func Generation(o *memberpreview.Object) int64 {
	if o.Live == nil {
		return 0
	}
	return o.Live.GetGeneration()
}
