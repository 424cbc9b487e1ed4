package memberapply

import (
	"context"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/rollout"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// polling is the interval for reading an object that is not available yet: short at first, because most become available soon.
var polling = wait.Backoff{Duration: 200 * time.Millisecond, Factor: 1.5, Steps: 100, Cap: 5 * time.Second}

// definitionTime is how long an apply waits until a CustomResourceDefinition is served. After that, the objects of its kind are written anyway.
const definitionTime = 30 * time.Second

var maxUnreachable = 30 * time.Second

// Await reads the waiting objects until each one is available, and records their availability. It ends earlier if, for [memberpreview.ArrivalTime], each
// waiting object has lacked an object that its Pods need; see [memberpreview.StillMissing]. It also ends if the member is unreachable for maxUnreachable. If
// the member was unreachable at the last read, Await marks the run as unreachable. It returns an error only if the context ends first.
func (r *Run) Await(ctx context.Context) error {
	var since time.Time   // when the cluster became unavailable
	var lacking time.Time // since when every waiting object lacks another one
	var last error
	err := polling.DelayFunc().Until(ctx, false, true, func(ctx context.Context) (bool, error) {
		refs := map[kube.Ref]*memberpreview.Object{}
		for _, o := range r.waiting() {
			refs[kube.RefOf(o.Live)] = o
		}
		found, errs := r.member.Cluster.GetMany(ctx, slices.Collect(maps.Keys(refs)))
		for ref, live := range found {
			refs[ref].Live = live
			r.assess(refs[ref])
		}
		last = nil
		for _, err := range errs {
			if clusterset.IsUnavailable(err) && ctx.Err() == nil {
				last = err
			}
		}
		switch {
		case last == nil:
			since = time.Time{}
		case since.IsZero():
			since = time.Now()
		}
		switch {
		case !r.Waits():
			return true, nil
		case !r.findMissing(ctx):
			lacking = time.Time{}
		case lacking.IsZero():
			lacking = time.Now()
		}
		return !lacking.IsZero() && time.Since(lacking) >= memberpreview.ArrivalTime || last != nil && time.Since(since) >= maxUnreachable, nil
	})
	if last != nil {
		r.MarkUnreachable(last)
	}
	return err
}

// findMissing records which objects each waiting object still lacks. It reports whether every waiting object lacks at least one.
func (r *Run) findMissing(ctx context.Context) (allLack bool) {
	allLack = true
	for _, o := range r.waiting() {
		outcome := *r.Outcome(o)
		outcome.Missing = memberpreview.StillMissing(ctx, r.member.Cluster, r.member.Expected, o)
		allLack = allLack && len(outcome.Missing) > 0
		r.Record(o, outcome)
	}
	return allLack
}

// Waits reports whether any applied object is not available yet.
func (r *Run) Waits() bool { return len(r.waiting()) > 0 }

func (r *Run) waiting() []*memberpreview.Object {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []*memberpreview.Object
	for o, outcome := range r.outcomes {
		if outcome.Waiting != nil {
			out = append(out, o)
		}
	}
	return out
}

// Assess records the availability of applied objects from their last known state.
func (r *Run) Assess(objects []*memberpreview.Object) {
	for _, o := range objects {
		r.assess(o)
	}
}

func (r *Run) assess(o *memberpreview.Object) {
	outcome := r.Outcome(o)
	if outcome == nil || outcome.Failure != nil || outcome.Pending || o.Live == nil || o.Action == takeover.ActionReport {
		return
	}
	next := Outcome{Gone: outcome.Gone}
	availability, message := rollout.AvailabilityOf(o.Live, o.Mapping.GVR.Resource)
	switch availability {
	case rollout.NotTrackable:
		next.Untracked = true
	case rollout.NotYet:
		next.Waiting = notAvailable(o, "ManifestNotAvailableYet", "Manifest is not yet available; Fleet will check again later ("+message+")")
	case rollout.Failed:
		next.Waiting = notAvailable(o, "Failed", "Failed to track the availability of the applied manifest (error = "+message+")")
	case rollout.Available:
	}
	r.Record(o, next)
}

// Working reports whether all objects that the placement owns, or will own, exist and are available.
func Working(objects []*memberpreview.Object) bool {
	for _, o := range objects {
		if !o.Action.Places() {
			continue // not the placement's object
		}
		if o.Live == nil {
			return false
		}
		if availability, _ := rollout.AvailabilityOf(o.Live, o.Mapping.GVR.Resource); availability == rollout.NotYet || availability == rollout.Failed {
			return false
		}
	}
	return true
}

func notAvailable(o *memberpreview.Object, reason, message string) *placement.Condition {
	return &placement.Condition{
		Type: placement.Available, Status: placement.False, Reason: reason, Message: message, ObservedGeneration: Generation(o),
	}
}

// awaitDefinitions waits after a wave in which CustomResourceDefinitions were applied, until the kinds of all objects are served. It waits for at most
// definitionTime. It sets the mapping of objects whose kinds were not served before, and reads the definitions again.
func (r *Run) awaitDefinitions(ctx context.Context, applied, all []*memberpreview.Object) {
	var definitions []*memberpreview.Object
	for _, o := range applied {
		if o.Mapping.GVR.Resource == "customresourcedefinitions" && r.isApplied(o) {
			definitions = append(definitions, o)
		}
	}
	var unserved []*memberpreview.Object
	for _, o := range all {
		if o.Mapping.GVR.Resource == "" && !o.Action.Leaves() && o.Action != takeover.ActionReject {
			unserved = append(unserved, o)
		}
	}
	if len(definitions) == 0 || len(unserved) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, definitionTime)
	defer cancel()
	_ = polling.DelayFunc().Until(ctx, false, true, func(ctx context.Context) (bool, error) {
		r.member.Cluster.ResetDiscovery()
		for _, o := range unserved {
			// An object whose kind is not served yet keeps its empty mapping. If the kind is never served, the write of the object returns the error.
			o.Mapping, _ = r.member.Cluster.Resolve(ctx, o.GroupVersionKind())
		}
		return !slices.ContainsFunc(unserved, func(o *memberpreview.Object) bool { return o.Mapping.GVR.Resource == "" }), nil
	})
	for _, o := range definitions {
		// The response to the write did not have the condition Established yet.
		if live, err := r.member.Cluster.Get(ctx, o.GroupVersionKind(), "", o.Name); err == nil {
			o.Live = live
		}
	}
}

// isApplied reports whether an object was written, or was as desired already.
func (r *Run) isApplied(o *memberpreview.Object) bool {
	outcome := r.Outcome(o)
	return outcome != nil && outcome.Failure == nil
}
