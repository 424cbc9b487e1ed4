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

// arrivalInterval is how often kinds are looked up that another placement of the run may bring.
const arrivalInterval = 500 * time.Millisecond

// awaitsKind reports whether an object is written after all others, because its kind is not served and may arrive.
func (r *Run) awaitsKind(o *memberpreview.Object) bool {
	return r.mayArrive != nil && !o.Served() && o.Action.Writes()
}

// applyUnserved writes the objects whose kinds were not served, as soon as the member serves them. An object whose kind does not arrive fails as the
// preview rejects it, or with the error that prevents finding out.
func (r *Run) applyUnserved(ctx context.Context, objects []*memberpreview.Object) {
	left := slices.DeleteFunc(slices.Clone(objects), func(o *memberpreview.Object) bool { return !r.awaitsKind(o) })
	failures := map[*memberpreview.Object]error{}
	for first := true; len(left) > 0 && r.Unreachable() == nil; first = false {
		if !first && (!r.mayArrive(kindsOf(left)) || !clusterset.Pause(ctx, arrivalInterval)) {
			break
		}
		r.member.Cluster.ResetDiscovery()
		var served []*memberpreview.Object
		for _, o := range left {
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
		left = slices.DeleteFunc(left, (*memberpreview.Object).Served)
	}
	for _, o := range left {
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
