package predict

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/agent"
	api "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/cluster/v1beta1"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/schedule"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Cluster is the prediction for one cluster.
type Cluster struct {
	Name     string
	Decision schedule.Decision
	// Items are the objects to be placed on the cluster. Leftovers are the objects that its agent applied or may own, and that are no longer placed.
	Items, Leftovers []*memberpreview.Object
	// Joining reports that the same run registers the member, or that it was just registered and its agent has not reported yet. Leaving reports that the same
	// run ends the membership.
	Joining, Leaving bool
	// Err is the reason why the cluster could not be checked. OverrideErr is the reason why an override cannot be applied. If OverrideErr is set, the hub writes
	// nothing to the cluster.
	Err, OverrideErr error

	prediction   *Prediction
	registration *api.MemberCluster
	planned      engine.Planned[member.Spec]
	overrides    override.Overrides
	// binding is the binding of the placement to the cluster, or nil if there is none. works are the Works of the placement for the cluster.
	binding *wire.ClusterResourceBinding
	works   []metav1.ObjectMeta
	// placed reports whether the placement will be on the cluster: the scheduler picks the cluster, or keeps an existing binding to it.
	placed bool
	// items are the Items by key. vanishing are the live objects that are deleted before they are recreated.
	items       map[manifest.Key]*memberpreview.Object
	vanishing   map[manifest.Key]*unstructured.Unstructured
	checkMethod engine.CheckMethod
	schema      diff.Schema
	// ownership identifies the placement's objects on the cluster. It is nil for a cluster that was not checked.
	ownership *agent.Ownership
	// others returns the state of another placement for the cluster, by the name of the placement.
	others others
	// denied are the objects that other placements hand over, but that the provider is not allowed to write with its credentials.
	denied []*memberpreview.Object
	// left are the objects on which other placements left an owner reference or an annotation.
	left []*memberpreview.Object
}

// isConcerned reports whether the placement has, or will have, a binding or a Work for the cluster.
func (c *Cluster) isConcerned() bool { return c.placed || c.binding != nil || len(c.works) > 0 }

func isUnseen(err error) bool {
	_, is := errors.AsType[*engine.UnseenError](err)
	return is
}

func (c *Cluster) check(ctx context.Context, clusters *clusterset.Set) error {
	c.checkMethod, c.schema = engine.CheckOffline, clusters.Schema
	c.items = map[manifest.Key]*memberpreview.Object{}
	p := c.prediction
	if c.placed {
		var objects []source.Localized
		objects, _, c.OverrideErr = p.Content.Localize(p.Placement.Reference.String(), override.Cluster{Name: c.Name, Labels: c.labels()}, c.overrides)
		if c.OverrideErr != nil {
			return nil //nolint:nilerr // the hub writes nothing to the cluster until the override is fixed
		}
		for _, object := range objects {
			item := &memberpreview.Object{
				Hash: object.Hash, Desired: agent.Outgoing(object.Content),
				Hidden: source.Hidden(p.Placement.Reference.String(), override.Cluster{Name: c.Name, Labels: c.labels()}, object.Identifier, c.overrides, p.Overrides),
			}
			item.Identifier, item.Action = object.Identifier, takeover.ActionNone
			c.Items = append(c.Items, item)
			c.items[item.Key()] = item
		}
	}
	member, err := clusters.Member(c.Name)
	if isSettled, assumed := memberpreview.Assume(p.options.World, c.Name, err == nil, c.Items); isSettled {
		return assumed
	}
	if _, missing := errors.AsType[*engine.NotConfiguredError](err); missing {
		return &engine.UnseenError{Member: c.Name, Reported: p.Placement.PriorCluster(c.Name).Phase()}
	}
	if err != nil {
		return err
	}
	return c.checkMember(ctx, clusters, member)
}

// labels returns the labels of the cluster after the change, by which overrides select the cluster.
func (c *Cluster) labels() map[string]string {
	out := map[string]string{}
	if c.registration != nil {
		out = labels(c.Name, c.registration.Labels)
	}
	return labels(c.Name, plannedLabels(out, c.planned))
}

func (c *Cluster) checkMember(ctx context.Context, clusters *clusterset.Set, member *kube.Cluster) error {
	applied, err := c.applied(ctx, member)
	if err != nil {
		return clusterset.Unreachable(c.Name, err)
	}
	own := map[string]metav1.OwnerReference{}
	for _, work := range applied {
		own[work.Name] = agent.Reference(work.AppliedWork)
	}
	ownership := &agent.Ownership{Own: own, Disposition: c.disposition(applied), WorkExists: c.workExists(ctx, clusters.Hub)}
	ownership.Gives = func(live *unstructured.Unstructured, ref metav1.OwnerReference) bool {
		return c.gives(live, ref) || c.leftBehind(live, ref)
	}
	c.ownership, c.others = ownership, newOthers(ctx, clusters.Hub, c.Name)
	strategy := *c.prediction.Spec.Strategy.ApplyStrategy
	read := &memberpreview.Member{
		Cluster: member, Schema: clusters.Schema, Ownership: ownership, Strategy: strategy, Expected: c.prediction.options.Expected,
		Applying: c.prediction.options.Applying, Defines: c.prediction.Content.Defines, DryRun: true, FieldManager: agent.FieldManager, WritesToTerminating: true,
		WillBeGone: c.gone(ownership), Given: c.given, GivenAsPlaced: agent.IsAsPlaced, Namespaces: c.prediction.options.World.Namespaces[c.Name],
		ProviderOfKind: func(kind schema.GroupVersionKind) string {
			return c.prediction.options.World.ProviderOfKind(c.Name, kind)
		},
		Writer: &agent.Writer{Cluster: member, Strategy: strategy, Owner: anyOf(own)}, Unavailable: c.prediction.Placement.PriorCluster(c.Name).Unavailable(),
	}
	claimed, err := c.listClaimed(ctx, clusters.Hub)
	if err != nil {
		return err
	}
	c.Leftovers = c.leftovers(applied, nil)
	doubtful := c.leftovers(nil, claimed)
	if err := read.Preview(ctx, c.Items, slices.Concat(c.Leftovers, doubtful)); err != nil {
		return err
	}
	c.Leftovers = append(c.Leftovers, slices.DeleteFunc(doubtful, func(o *memberpreview.Object) bool {
		return o.Unseen == nil && (o.Live == nil || !ownership.Owns(o))
	})...)
	c.checkMethod = read.CheckMethod()
	c.replace(applied, ownership)
	c.decideLeftovers(ownership)
	c.left = c.findLeftOwners()
	c.denied = slices.DeleteFunc(slices.Clone(c.Items), func(o *memberpreview.Object) bool { return o.Action != takeover.ActionTakeOverFrom || !read.Denies(o) })
	read.SetMissing(ctx, c.Items, c.Leftovers)
	return c.countContents(ctx, read)
}

// workExists returns a function that reports whether the hub has a Work with a given name for the member. The function lists the Works of other placements only
// if needed.
func (c *Cluster) workExists(ctx context.Context, cluster *kube.Cluster) func(string) bool {
	known := map[string]bool{}
	for _, work := range c.works {
		known[work.Name] = true
	}
	all := sync.OnceValue(func() map[string]bool {
		found, err := hub.Works(ctx, cluster, hub.MemberNamespacePrefix+c.Name, "")
		if err != nil {
			return nil
		}
		names := map[string]bool{}
		for _, work := range found {
			names[work.Name] = true
		}
		return names
	})
	return func(name string) bool {
		if known[name] {
			return true
		}
		names := all()
		return names == nil || names[name] // if the Works cannot be listed, assume that every Work exists
	}
}

func (c *Cluster) preview() engine.ClusterPreview {
	out := engine.ClusterPreview{
		Name: c.Name, Picked: c.placed, Reason: c.Decision.Reason, Cause: cmp.Or(c.Decision.Cause, c.Decision.Reason),
		Score: c.Decision.Score, CheckMethod: c.checkMethod, Err: c.Err, Joining: c.Joining, Leaving: c.Leaving,
		Resume: c.moves() || len(c.left) > 0 || !c.prediction.Removing && len(c.Kept()) > 0,
	}
	if c.placed && !c.Decision.Selected {
		out.Reason, out.Cause = staysPrefix+out.Reason, staysPrefix+out.Cause
	}
	if c.OverrideErr != nil {
		out.Problem = c.OverrideErr.Error()
	}
	for _, o := range slices.Concat(c.Items, c.Leftovers) {
		out.Objects = append(out.Objects, o.Shown())
	}
	return out
}

// staysPrefix is the start of the reason for a cluster that keeps the placement although the scheduler would not pick it now. A hub does not remove the
// placement from such a cluster while the policy is unchanged.
const staysPrefix = "the placement remains on the cluster, although the scheduler would not pick the cluster now: "

// moves reports whether the hub's scheduler adds the placement to the cluster, or removes the placement from it. With strategy External, the scheduler only
// marks the binding of a cluster that it no longer picks, and a staged update run removes the objects and the binding later. A marked binding counts as
// removed.
func (c *Cluster) moves() bool {
	marked := c.binding != nil && c.binding.Spec.State == wire.BindingStateUnscheduled && c.prediction.isExternal()
	return c.placed != (c.binding != nil && !marked)
}

// Leaving returns the clusters that the placement leaves and that have Works on the hub, with the reason.
func (p *Prediction) Leaving() map[string]string {
	out := map[string]string{}
	for _, c := range p.Clusters {
		if !c.placed && len(c.works) > 0 {
			out[c.Name] = c.Decision.Reason
		}
	}
	return out
}

// anyOf returns one of the AppliedWorks, for dry runs, or nil if there is none.
func anyOf(own map[string]metav1.OwnerReference) *metav1.OwnerReference {
	for _, name := range slices.Sorted(maps.Keys(own)) {
		return new(own[name])
	}
	return nil
}
