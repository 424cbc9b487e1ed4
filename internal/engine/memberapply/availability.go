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

// polling is how often an object that is not available yet is looked at: often at first, because most are in a moment.
var polling = wait.Backoff{Duration: 200 * time.Millisecond, Factor: 1.5, Steps: 100, Cap: 5 * time.Second}

// definitionTime is how long a CustomResourceDefinition may take to be served before the objects of its kind are tried anyway.
const definitionTime = 30 * time.Second

// patience is how long a cluster may not answer before it is no longer waited for.
var patience = 30 * time.Second

// Await reads the waiting objects until each one is available, or still lacks an object as the plan has shown. A member that stops responding is
// unreachable.
func (r *Run) Await(ctx context.Context) error {
	var since time.Time   // when the cluster stopped answering
	var lacking time.Time // since when every waiting workload lacks an object
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
		return !lacking.IsZero() && time.Since(lacking) >= memberpreview.ArrivalTime || last != nil && time.Since(since) >= patience, nil
	})
	if last != nil {
		r.MarkUnreachable(last)
	}
	return err
}

// findMissing records what waiting workloads still lack. It reports whether every waiting object lacks something.
func (r *Run) findMissing(ctx context.Context) (all bool) {
	all = true
	for _, o := range r.waiting() {
		outcome := *r.Outcome(o)
		outcome.Missing = memberpreview.StillMissing(ctx, r.member.Cluster, r.member.Expected, o)
		all = all && len(outcome.Missing) > 0
		r.Record(o, outcome)
	}
	return all
}

// Waits tells whether an object is not available yet.
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

// Assess fills in the availability of objects that are applied, as they were seen last.
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

// Working tells whether every object that is the placement's own, or is to be, is there and available.
func Working(objects []*memberpreview.Object) bool {
	for _, o := range objects {
		if !o.Action.Places() {
			continue // not the placement's, or not its business
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

// awaitDefinitions waits until kinds that a wave defines are served, and looks up the kinds of the objects that waited for them.
func (r *Run) awaitDefinitions(ctx context.Context, applied, all []*memberpreview.Object) {
	var definitions []*memberpreview.Object
	for _, o := range applied {
		if o.Mapping.GVR.Resource == "customresourcedefinitions" && r.applied(o) {
			definitions = append(definitions, o)
		}
	}
	var homeless []*memberpreview.Object
	for _, o := range all {
		if o.Mapping.GVR.Resource == "" && !o.Action.Leaves() && o.Action != takeover.ActionReject {
			homeless = append(homeless, o)
		}
	}
	if len(definitions) == 0 || len(homeless) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, definitionTime)
	defer cancel()
	_ = polling.DelayFunc().Until(ctx, false, true, func(ctx context.Context) (bool, error) {
		r.member.Cluster.ResetDiscovery()
		for _, o := range homeless {
			// One that is not served yet keeps its empty mapping; the write says so if it never is.
			o.Mapping, _ = r.member.Cluster.Resolve(ctx, o.GroupVersionKind())
		}
		return !slices.ContainsFunc(homeless, func(o *memberpreview.Object) bool { return o.Mapping.GVR.Resource == "" }), nil
	})
	for _, o := range definitions {
		// As they were written they were not established yet.
		if live, err := r.member.Cluster.Get(ctx, o.GroupVersionKind(), "", o.Name); err == nil {
			o.Live = live
		}
	}
}

// applied tells whether an object was written, or was right as it was.
func (r *Run) applied(o *memberpreview.Object) bool {
	outcome := r.Outcome(o)
	return outcome != nil && outcome.Failure == nil
}
