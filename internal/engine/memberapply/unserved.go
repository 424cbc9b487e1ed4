package memberapply

import (
	"cmp"
	"context"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// arrivalInterval is the interval between attempts while another placement of the run may define a kind or create a Namespace.
const arrivalInterval = 500 * time.Millisecond

// isAwaitingKind reports whether an object is written after all others, because its kind is not served and the run may wait for the kind.
func (r *Run) isAwaitingKind(o *memberpreview.Object) bool {
	return r.mayArrive != nil && !o.Served() && o.Action.Writes()
}

// applyUnserved writes the objects whose kinds were not served, as soon as the member serves the kinds. It waits while another placement of the run may
// define one of them. If the member still does not serve a kind, the objects of the kind fail with the error of discovery, or with the rejection that a
// preview shows for objects of an unserved kind.
func (r *Run) applyUnserved(ctx context.Context, objects []*memberpreview.Object) {
	remaining := slices.DeleteFunc(slices.Clone(objects), func(o *memberpreview.Object) bool { return !r.isAwaitingKind(o) })
	failures := map[*memberpreview.Object]error{}
	for first := true; len(remaining) > 0 && r.Unreachable() == nil; first = false {
		if !first && (!r.mayArrive(kindsOf(remaining)) || !clusterset.Pause(ctx, arrivalInterval)) {
			break
		}
		r.member.Cluster.ResetDiscovery()
		var served []*memberpreview.Object
		for _, o := range remaining {
			var err error
			o.Mapping, err = r.member.Cluster.Resolve(ctx, o.GroupVersionKind()) // a kind that is not served keeps the empty mapping
			if o.Served() {
				served = append(served, o)
			}
			if kube.IsUnknownKind(err) {
				err = nil
			}
			if kube.IsUnreachable(err) {
				r.MarkUnreachable(err)
			}
			failures[o] = err
		}
		inParallel(served, func(o *memberpreview.Object) { r.apply(ctx, o) })
		remaining = slices.DeleteFunc(remaining, (*memberpreview.Object).Served)
	}
	for _, o := range remaining {
		if err := cmp.Or(r.Unreachable(), failures[o]); err != nil {
			r.FailWrite(o, err)
			continue
		}
		decision := o.NotServed()
		o.Action, o.Obstacle, o.Problem, o.Reason, o.Message = decision.Action, decision.Obstacle, decision.Problem, decision.Reason, decision.Message()
		r.Fail(o, placement.Applied, o.Reason, o.Message)
	}
}

func kindsOf(objects []*memberpreview.Object) []schema.GroupVersionKind {
	var out []schema.GroupVersionKind
	for _, o := range objects {
		if kind := o.GroupVersionKind(); !slices.Contains(out, kind) {
			out = append(out, kind)
		}
	}
	return out
}
