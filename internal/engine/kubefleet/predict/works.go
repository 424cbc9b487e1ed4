package predict

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane/codec"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/agent"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

type appliedWork struct {
	wire.AppliedWork
	// envelope is the envelope of the objects in the Work, or nil for the Work of directly selected objects.
	envelope *manifest.Envelope
	// deleting reports that the hub deletes the Work; see deletesWork.
	deleting bool
}

// applied reads the AppliedWorks of the placement on the member. It skips Works for which the agent has not created an AppliedWork yet.
func (c *Cluster) applied(ctx context.Context, member *kube.Cluster) ([]appliedWork, error) {
	var out []appliedWork
	for _, work := range c.works {
		live, err := member.Get(ctx, agent.AppliedWorkKind, "", work.Name)
		switch {
		case kube.IsNotFound(err), kube.IsUnknownKind(err):
			continue
		case err != nil:
			return nil, err
		}
		applied, err := codec.Decode[wire.AppliedWork](live)
		if err != nil {
			return nil, err
		}
		out = append(out, appliedWork{AppliedWork: *applied, envelope: convert.EnvelopeOf(work), deleting: c.deletesWork(work)})
	}
	return out, nil
}

// openedEnvelopes returns the envelopes in content whose objects a hub extracts.
func openedEnvelopes(content *source.Content) map[manifest.Envelope]bool {
	out := map[manifest.Envelope]bool{}
	for _, o := range content.Closed() {
		if e, is := envelope.Of(o); is && !slices.Contains(closedEnvelopes, envelope.Type(e.Type)) {
			out[e] = true
		}
	}
	return out
}

// deletesWork reports whether the hub deletes a Work, or is already deleting it. A placement has one Work for the directly selected objects, and one for each
// envelope. The hub deletes all of them when the placement leaves the cluster, and the Work of an envelope also when the envelope is no longer placed
// (KubeFleet, pkg/controllers/workgenerator: syncAllWork).
func (c *Cluster) deletesWork(work metav1.ObjectMeta) bool {
	if !c.placed || work.DeletionTimestamp != nil {
		return true
	}
	in := convert.EnvelopeOf(work)
	return in != nil && !c.prediction.envelopes[*in]
}

func (c *Cluster) deletedWorks() []string {
	var out []string
	for _, work := range c.works {
		if c.deletesWork(work) {
			out = append(out, work.Name)
		}
	}
	return out
}

func (c *Cluster) onlyReports() bool { return c.placed && c.prediction.reports() }

// reports reports whether the placement only reports differences.
func (p *Prediction) reports() bool {
	return p.Spec.Strategy.ApplyStrategy.Type == placement.ReportDiff
}

// disposition returns a function for [agent.Ownership.Disposition]. With any strategy, the objects of a deleted Work are deleted with it. If the Work
// remains, the agent removes only objects that it has applied and that left the Work, and none while it only reports.
func (c *Cluster) disposition(applied []appliedWork) func(string, manifest.Key) agent.Disposition {
	works, has := map[string]appliedWork{}, map[string]map[manifest.Key]bool{}
	for _, work := range applied {
		works[work.Name], has[work.Name] = work, map[manifest.Key]bool{}
		for _, resource := range work.Status.AppliedResources {
			has[work.Name][agent.Identifier(resource).Key()] = true
		}
	}
	return func(name string, object manifest.Key) agent.Disposition {
		work, item := works[name], c.items[object]
		switch {
		case work.deleting:
			return agent.Release
		case item != nil && sameEnvelope(item.Envelope, work.envelope):
			return agent.Retain
		case has[name][object] && !c.onlyReports():
			return agent.Release
		}
		return agent.Ignore
	}
}

func sameEnvelope(a, b *manifest.Envelope) bool { return a == b || a != nil && b != nil && *a == *b }

// gone returns a function that reports whether an object moves to another Work, and records such objects in c.vanishing. The agent deletes such an object for
// the old Work, and creates it again for the new one.
func (c *Cluster) gone(ownership *agent.Ownership) func(manifest.Identifier, *unstructured.Unstructured) bool {
	c.vanishing = map[manifest.Key]*unstructured.Unstructured{}
	return func(id manifest.Identifier, live *unstructured.Unstructured) bool {
		if c.items[id.Key()] == nil || !ownership.Deletes(live) {
			return false
		}
		c.vanishing[id.Key()] = live
		return true
	}
}

// Moves reports whether an object on a cluster is deleted and recreated because it moves to another Work. Until it is recreated, failures to apply it are
// temporary.
func (p *Prediction) Moves(cluster string, object manifest.Key) bool {
	c := p.Cluster(cluster)
	return c != nil && c.vanishing[object] != nil
}

// live returns the object on the member, even if it is going to be recreated.
func (c *Cluster) live(o *memberpreview.Object) *unstructured.Unstructured {
	if o.Live == nil {
		return c.vanishing[o.Key()]
	}
	return o.Live
}

// replace sets the action [takeover.ActionReplace] for the moved objects, and for the objects in a moved Namespace or CustomResourceDefinition. A moved
// object that is not recreated, because the agent only reports or cannot create it, becomes a leftover.
func (c *Cluster) replace(applied []appliedWork, ownership *agent.Ownership) {
	var containers []*memberpreview.Object
	for _, item := range c.Items {
		live := c.vanishing[item.Key()]
		switch {
		case live == nil:
			continue
		case item.Action != takeover.ActionCreate:
			c.Leftovers = append(c.Leftovers, &memberpreview.Object{ObjectPreview: engine.ObjectPreview{Identifier: item.Identifier}, Live: live})
			continue
		}
		item.Action, item.Exists, item.Owned, item.Problem = takeover.ActionReplace, true, true, "it comes "+move(item, applied, ownership.Own, live)
		containers = append(containers, item)
	}
	for _, of := range containers {
		container, is := source.AsContainer(of.Identifier, c.live(of))
		for _, item := range c.Items {
			if is && item.Live != nil && container.Holds(item.Identifier) {
				item.ObjectPreview = engine.ObjectPreview{
					Identifier: item.Identifier, Action: takeover.ActionReplace, Exists: true, Owned: item.Owned, Owner: item.Owner, Mark: item.Mark,
					Problem: fmt.Sprintf("it is deleted with %s", of.Identifier),
				}
			}
		}
	}
}

// move describes the source of an object after and before the change. The source is an envelope, or the hub itself for a directly selected object.
func move(item *memberpreview.Object, applied []appliedWork, own map[string]metav1.OwnerReference, live *unstructured.Unstructured) string {
	var was *manifest.Envelope
	for _, work := range applied {
		if slices.ContainsFunc(live.GetOwnerReferences(), func(ref metav1.OwnerReference) bool { return ref.UID == own[work.Name].UID }) {
			was = work.envelope
		}
	}
	return fmt.Sprintf("from %s instead of %s", comesFrom(item.Envelope), comesFrom(was))
}

func comesFrom(e *manifest.Envelope) string {
	if e == nil {
		return "the hub itself"
	}
	return "the " + e.String()
}
