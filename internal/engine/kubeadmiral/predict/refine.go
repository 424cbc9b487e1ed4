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

// refining is the input of refine.
type refineInput struct {
	clusters *clusterset.Set
	member   *memberpreview.Member
	writer   *dispatch.Writer
	// filled are the objects that include the defaults of an API server.
	filled map[manifest.Key]bool
}

// brings reports whether only the apply brings an object to the host. The host takes over the pre-existing copies of its other objects on members even
// without an apply. brings is true for all objects if the predicted change is not written yet.
func (p *Prediction) brings(key manifest.Key) bool {
	return p.unapplied || slices.ContainsFunc(p.Objects, func(o *Object) bool { return o.Key() == key && o.Manifest != nil && o.Live == nil })
}

// refine applies the rules of KubeAdmiral: Namespaces are taken over in every mode, and a takeover replaces the object, so the fields that only the member
// has are differences too.
func (c *Cluster) refine(ctx context.Context, with refineInput, item *memberpreview.Object) error {
	p := c.prediction
	owned := item.Live != nil && with.member.Ownership.Owns(item)
	if item.IsNamespace() && item.Live != nil {
		preview := engine.ObjectPreview{Identifier: item.Identifier, Exists: true, Owned: owned, Action: takeover.ActionNone, Owner: item.Owner}
		if !owned {
			preview.Action, preview.Mark = takeover.ActionTakeOver, item.Mark
			if problem := p.options.Expected.Contradicts(c.Name, item.Key(), item.Mark); problem != "" && p.brings(item.Key()) {
				preview = withDecision(preview, takeover.NotAgreed(problem))
			}
		}
		item.ObjectPreview = preview
		c.takeGiven(with.clusters.Schema, item)
		return nil
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
	replaces := item.Live != nil && (item.Action == takeover.ActionTakeOver || item.Action == takeover.ActionUpdate)
	c.takeGiven(with.clusters.Schema, item)
	if !replaces {
		return nil
	}
	if p.options.Applying && p.options.Expected.Agreed(c.Name, item.ObjectPreview, item.Action) {
		return nil // the preview already has the result of the dry run
	}
	if c.checkMethod != engine.CheckDryRun {
		if with.filled[item.Key()] {
			c.replacing(item, with.writer.Compare(with.clusters.Schema, item))
		}
		return nil
	}
	replaced, err := with.writer.Replace(ctx, with.clusters.Schema, item)
	switch {
	case clusterset.IsUnavailable(err):
		return clusterset.Unreachable(c.Name, err)
	case err != nil:
		return nil //nolint:nilerr // the object was deleted meanwhile
	}
	c.replacing(item, replaced)
	return nil
}

// replacing adds the changes of a replacement to the preview, and applies the mode to an object that is not equal.
func (c *Cluster) replacing(item *memberpreview.Object, replaced *dispatch.Replacement) {
	item.Differences, item.Restart = replaced.Differences, replaced.Restart
	if item.Action == takeover.ActionTakeOver && len(replaced.Differences) > 0 && c.prediction.Spec.Strategy.ApplyStrategy.WhenToTakeOver == placement.TakeOverIfNoDiff {
		item.ObjectPreview, item.Restart = differingPreview(item.ObjectPreview), ""
		item.Differences = diff.MarkImmutable(item.Desired, item.Live, replaced.Differences)
		item.ObservedDiffs = diff.Details(replaced.Differences)
	}
}

// keepNodePorts keeps the node ports that a Service has on a member, as the control plane does. The host has allocated other ports for itself.
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

// awaitsNamespace previews an object as created if its Namespace is not on the member yet: a host creates its Namespaces on every member.
func (c *Cluster) awaitsNamespace(ctx context.Context, member *kube.Cluster, item *memberpreview.Object) error {
	_, err := member.Get(ctx, schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, "", item.Namespace)
	switch {
	case clusterset.IsUnavailable(err):
		return clusterset.Unreachable(c.Name, err)
	case kube.IsNotFound(err):
		item.ObjectPreview = engine.ObjectPreview{
			Identifier: item.Identifier, Action: takeover.ActionCreate, Untried: engine.UntriedNamespace,
		}
	}
	return nil
}

// differingPreview returns the preview of an object that differs in fields that the placed object does not set.
func differingPreview(preview engine.ObjectPreview) engine.ObjectPreview {
	return withDecision(preview, takeover.Differing())
}

// withDecision returns the preview with another decision.
func withDecision(preview engine.ObjectPreview, d takeover.Decision) engine.ObjectPreview {
	preview.Action, preview.Obstacle, preview.Problem, preview.Reason, preview.Message = d.Action, d.Obstacle, d.Problem, d.Reason, d.Message()
	return preview
}
