package predict

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/dispatch"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

type refineInput struct {
	clusters *clusterset.Set
	member   *memberpreview.Member
	writer   *dispatch.Writer
}

// brings reports whether the apply creates an object on the host. The host can take over pre-existing copies of all other objects even without an apply. In a
// prediction for a change of members, brings returns true for all objects.
func (p *Prediction) brings(key manifest.Key) bool {
	return p.unapplied || slices.ContainsFunc(p.Objects, func(o *Object) bool { return o.Key() == key && o.Manifest != nil && o.Live == nil })
}

// decide returns the preview of an object on the member. o is the object on the host.
func (c *Cluster) decide(ctx context.Context, with refineInput, o *Object, item *memberpreview.Object) (engine.ObjectPreview, error) {
	preview, err := c.refine(ctx, with, o, item)
	if o.Refused != nil {
		preview = withDecision(preview, takeover.Rejected(takeover.ObstacleAdmission, takeover.ReasonManifestApplyFailed, "the host rejects it: "+o.Refused.Error()))
		preview.LacksNamespace = o.lacksNamespace
	}
	return item.Hide(preview), err
}

// refine adapts the preview of an object to KubeAdmiral. KubeAdmiral takes over Namespaces under every when_to_take_over. A takeover replaces the object, so
// fields that only the object on the member has are differences, too.
func (c *Cluster) refine(ctx context.Context, with refineInput, o *Object, item *memberpreview.Object) (engine.ObjectPreview, error) {
	p := c.prediction
	owned := item.Live != nil && with.member.Ownership.Owns(item)
	if item.IsNamespace() && item.Live != nil {
		return c.takeGiven(with.clusters.Schema, item, c.existingNamespace(with.member.Ownership, item, owned)), nil
	}
	if item.Action == takeover.ActionReject && item.Live == nil && item.Namespace != "" {
		return c.awaitsNamespace(ctx, with.writer.Cluster, item)
	}
	if owned {
		federated, _ := p.federated(item.Key())
		if _, word, _ := federated.On(c.Name); word == "" {
			c.unasked = append(c.unasked, item)
		}
	}
	preview := c.takeGiven(with.clusters.Schema, item, item.ObjectPreview)
	if item.Live == nil || item.Action != takeover.ActionTakeOver && item.Action != takeover.ActionUpdate {
		return preview, nil
	}
	if p.options.Applying && p.options.Expected.Agreed(c.Name, preview, preview.Action) {
		return preview, nil // the preview already has the result of the dry run
	}
	if c.checkMethod != engine.CheckDryRun {
		if o.Filled {
			return c.replacing(item, preview, with.writer.Compare(with.clusters.Schema, item)), nil
		}
		return preview, nil
	}
	replaced, err := with.writer.Replace(ctx, with.clusters.Schema, item)
	switch {
	case clusterset.IsUnavailable(err):
		return preview, clusterset.Unreachable(c.Name, err)
	case err != nil:
		return preview, nil //nolint:nilerr // the object was deleted meanwhile
	}
	return c.replacing(item, preview, replaced), nil
}

func (c *Cluster) existingNamespace(ownership memberpreview.Ownership, item *memberpreview.Object, owned bool) engine.ObjectPreview {
	p := c.prediction
	preview := engine.ObjectPreview{Identifier: item.Identifier, Exists: true, Owned: owned, Action: takeover.ActionNone, Owner: item.Owner}
	switch {
	case owned:
		return preview
	case dispatch.OptsOut(item.Live):
		return withDecision(preview, takeover.Decide(takeover.Input{
			Live: item.Live, ForeignPlacement: ownership.Owner(item.Live).String(), Strategy: placement.ApplyStrategy{WhenToTakeOver: placement.TakeOverAlways},
		}))
	}
	preview.Action, preview.Mark = takeover.ActionTakeOver, item.Mark
	if problem := p.options.Expected.Contradicts(c.Name, item.Key(), item.Mark); problem != "" && p.brings(item.Key()) {
		return withDecision(preview, takeover.NotAgreed(problem))
	}
	return preview
}

// replacing returns the preview with the changes of a replacement. If the object would be taken over, when_to_take_over is IfNoDiff and replaced.Counted is
// not empty, the object is not taken over.
func (c *Cluster) replacing(item *memberpreview.Object, preview engine.ObjectPreview, replaced *dispatch.Replacement) engine.ObjectPreview {
	mode := c.prediction.Spec.Strategy.ApplyStrategy.WhenToTakeOver
	if preview.Action == takeover.ActionTakeOver && len(replaced.Counted) > 0 && mode == placement.TakeOverIfNoDiff {
		preview = withDecision(preview, takeover.Differing())
		preview.Differences, preview.Restart = diff.MarkImmutable(item.Desired, item.Live, replaced.Differences), ""
		preview.ObservedDiffs = diff.Details(replaced.Counted)
		return preview
	}
	preview.Differences, preview.Restart = replaced.Differences, replaced.Restart
	return preview
}

// keepNodePorts copies the node ports of a Service on the member to item, as the control plane does. The ports on the host are allocated separately.
func keepNodePorts(ctx context.Context, member *kube.Cluster, item *memberpreview.Object) {
	if item.Desired == nil || item.GroupVersionKind() != (schema.GroupVersionKind{Version: "v1", Kind: "Service"}) {
		return
	}
	live, err := member.Get(ctx, item.GroupVersionKind(), item.Namespace, item.Name)
	if err != nil { // the preview reads the object too, and reports the error
		return
	}
	item.Desired = item.Desired.DeepCopy()
	convert.RetainNodePorts(item.Desired, live)
}

// awaitsNamespace returns the preview of an object that the member rejected. If the Namespace of the object is not on the member yet, the preview shows that
// the object is created, because a host creates its Namespaces on every member.
func (c *Cluster) awaitsNamespace(ctx context.Context, member *kube.Cluster, item *memberpreview.Object) (engine.ObjectPreview, error) {
	_, err := member.Get(ctx, schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, "", item.Namespace)
	switch {
	case clusterset.IsUnavailable(err):
		return item.ObjectPreview, clusterset.Unreachable(c.Name, err)
	case kube.IsNotFound(err):
		return engine.ObjectPreview{Identifier: item.Identifier, Action: takeover.ActionCreate, Untried: engine.UntriedNamespace}, nil
	}
	return item.ObjectPreview, nil
}

func withDecision(preview engine.ObjectPreview, d takeover.Decision) engine.ObjectPreview {
	preview.Action, preview.Obstacle, preview.Problem, preview.Reason, preview.Message = d.Action, d.Obstacle, d.Problem, d.Reason, d.Message()
	return preview
}
