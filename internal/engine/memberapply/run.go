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

// Run applies a placement to one member and records the results.
type Run struct {
	member *memberpreview.Member
	// before is called before a new decision about an object that has changed since it was read.
	before func(ctx context.Context, live *unstructured.Unstructured) error
	// mayArrive is MayArrive of [engine.ApplyOptions].
	mayArrive func(kinds []schema.GroupVersionKind) bool

	mu       sync.Mutex
	outcomes map[*memberpreview.Object]*Outcome
	// unreachable is the error with which the member became unreachable.
	unreachable error
}

// New returns a Run for a member. member is nil for an unreachable member: then nothing can be written, but results can be recorded. The Run calls before ahead of
// each new decision about an object that has changed since it was read.
func New(member *memberpreview.Member, before func(ctx context.Context, live *unstructured.Unstructured) error) *Run {
	return &Run{member: member, before: before, outcomes: map[*memberpreview.Object]*Outcome{}}
}

// AwaitKinds makes the run wait for kinds that are not served, and for Namespaces that do not exist, as long as mayArrive returns true; see
// [engine.ApplyOptions].
func (r *Run) AwaitKinds(mayArrive func(kinds []schema.GroupVersionKind) bool) {
	r.mayArrive = mayArrive
}

// Outcome is the result for one object.
type Outcome struct {
	// Failure is the condition of an object that is not as desired, Waiting that of an object that is not available yet.
	Failure, Waiting *placement.Condition
	// Pending means that the object is still to be written, without a failure.
	Pending bool
	// Untracked means that the object's availability cannot be determined.
	Untracked bool
	// Missing are the absent objects that the Pods of a Waiting workload need, if the plan has shown that the workload lacks any. If all Waiting objects lack
	// objects, Await ends after [memberpreview.ArrivalTime].
	Missing []manifest.Identifier
	// Gone means that the object no longer exists, or no longer belongs to the placement.
	Gone bool
}

// Outcome returns the result for an object, or nil if none was recorded.
func (r *Run) Outcome(o *memberpreview.Object) *Outcome {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.outcomes[o]
}

// Record sets the result for an object.
func (r *Run) Record(o *memberpreview.Object, outcome Outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.outcomes[o] = &outcome
}

// Fail records that an object is not as desired, with a condition of this type.
func (r *Run) Fail(o *memberpreview.Object, conditionType, reason, message string) {
	r.Record(o, Outcome{Failure: &placement.Condition{
		Type: conditionType, Status: placement.False, Reason: reason, Message: message, ObservedGeneration: Generation(o),
	}})
}

// FailWrite records that an object could not be written.
func (r *Run) FailWrite(o *memberpreview.Object, err error) {
	rejected := takeover.Rejected(takeover.ObstacleAdmission, takeover.ReasonManifestApplyFailed, o.Hidden.Text(err.Error()))
	r.Fail(o, placement.Applied, rejected.Reason, rejected.Message())
}

// FailAll records err for every object that should have been written, and the decision for every other desired object.
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

// RecordLeft records the decision about an object that is not written: that it is up to date, its report under strategy type ReportDiff, or the reason why it
// remains unchanged.
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

// MarkUnreachable records that the member has become unreachable.
func (r *Run) MarkUnreachable(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.unreachable == nil {
		r.unreachable = err
	}
}

// Unreachable returns why the member is unreachable, or nil.
func (r *Run) Unreachable() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.unreachable
}

// State returns the state of the member from the results for its objects. A workload with missing objects is a failure. An object that remains unchanged on
// purpose is not a failure; see [takeover.Action.Leaves].
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

// Trackable reports whether the availability of all objects can be determined.
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

// Generation returns the generation of the live object; 0 if there is none.
func Generation(o *memberpreview.Object) int64 {
	if o.Live == nil {
		return 0
	}
	return o.Live.GetGeneration()
}
