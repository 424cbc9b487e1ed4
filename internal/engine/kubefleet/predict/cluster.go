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

// Cluster is what is going to happen on one cluster.
type Cluster struct {
	Name     string
	Decision schedule.Decision
	// Items are the objects that belong on the cluster; Leftovers those that its agent has applied and that no longer do.
	Items, Leftovers []*memberpreview.Object
	// Joining says that the same run registers the member, Leaving that it ends the membership.
	Joining, Leaving bool
	// Err is why the cluster could not be looked at; OverrideErr why an override cannot be applied, which stops the hub, too.
	Err, OverrideErr error

	prediction   *Prediction
	registration *api.MemberCluster
	planned      engine.Planned[member.Spec]
	overrides    override.Overrides
	// binding is nil for a cluster that has none, works are the Works.
	binding *wire.ClusterResourceBinding
	works   []metav1.ObjectMeta
	// placed tells whether there is to be a binding: to every cluster that is picked, and to those that the scheduler does not pick and leaves alone.
	placed bool
	// items are the Items by what they are, vanishing those of them that are deleted before they are made anew, as they are.
	items     map[manifest.Key]*memberpreview.Object
	vanishing map[manifest.Key]*unstructured.Unstructured
	look      engine.Look
	// schema is that of the built-in kinds.
	schema diff.Schema
	// ownership decides about owner references; nil for a cluster that was not checked.
	ownership *agent.Ownership
	// others answers what other placements do with the objects on the cluster.
	others others
	// denied are the objects that other placements hand over and that the credentials may not write.
	denied []*memberpreview.Object
	// left are the objects on which other placements left an owner.
	left []*memberpreview.Object
}

// concerned tells whether anything is placed on the cluster, now or then.
func (c *Cluster) concerned() bool { return c.placed || c.binding != nil || len(c.works) > 0 }

func unseen(err error) bool {
	_, is := errors.AsType[*engine.UnseenError](err)
	return is
}

// examine finds out what the cluster's agent is going to do.
func (c *Cluster) examine(ctx context.Context, clusters *clusterset.Set) error {
	c.look, c.schema = engine.LookOffline, clusters.Schema
	c.items = map[manifest.Key]*memberpreview.Object{}
	p := c.prediction
	if c.placed {
		var objects []source.Localized
		objects, _, c.OverrideErr = p.Content.Localize(p.Placement.Reference.String(), override.Cluster{Name: c.Name, Labels: c.labels()}, c.overrides)
		if c.OverrideErr != nil {
			return nil //nolint:nilerr // the hub writes nothing to the cluster before the override is mended
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
	if _, missing := errors.AsType[*engine.NotConfiguredError](err); missing {
		return &engine.UnseenError{Member: c.Name, Reported: p.Placement.PriorCluster(c.Name).Phase()}
	}
	if err != nil {
		return err
	}
	return c.ask(ctx, clusters, member)
}

// labels are those by which overrides select the cluster.
func (c *Cluster) labels() map[string]string {
	out := map[string]string{}
	if c.registration != nil {
		out = labels(c.Name, c.registration.Labels)
	}
	return foreseenLabels(out, c.planned)
}

// ask looks at the member.
func (c *Cluster) ask(ctx context.Context, clusters *clusterset.Set, member *kube.Cluster) error {
	applied, err := c.applied(ctx, member)
	if err != nil {
		return clusterset.Unreachable(c.Name, err)
	}
	own := map[string]metav1.OwnerReference{}
	for _, work := range applied {
		own[work.Name] = agent.Reference(work.AppliedWork)
	}
	ownership := &agent.Ownership{Own: own, Hold: c.hold(applied), WorkExists: c.workExists(ctx, clusters.Hub)}
	ownership.Gives = func(live *unstructured.Unstructured, ref metav1.OwnerReference) bool {
		return c.gives(live, ref) || c.leftBehind(live, ref)
	}
	c.ownership, c.others = ownership, newOthers(ctx, clusters.Hub, c.Name)
	strategy := *c.prediction.Spec.Strategy.ApplyStrategy
	look := &memberpreview.Member{
		Cluster: member, Schema: clusters.Schema, Ownership: ownership, Strategy: strategy, Expected: c.prediction.options.Expected,
		Applying: c.prediction.options.Applying, Defines: c.prediction.Content.Defines, DryRun: true, FieldManager: agent.FieldManager, IntoDeleted: true,
		Gone: c.gone(ownership), Given: c.given, GivenAsPlaced: agent.IsAsPlaced, Namespaces: c.prediction.options.World.Namespaces[c.Name],
		Brings: func(kind schema.GroupVersionKind) string { return c.prediction.options.World.Brings(c.Name, kind) },
		Writer: &agent.Writer{Cluster: member, Strategy: strategy, Owner: anyOf(own)}, Unavailable: c.prediction.Placement.PriorCluster(c.Name).Unavailable(),
	}
	claimed, err := c.claimed(ctx, clusters.Hub)
	if err != nil {
		return err
	}
	c.Leftovers = c.leftovers(applied, nil)
	doubtful := c.leftovers(nil, claimed)
	if err := look.Preview(ctx, c.Items, slices.Concat(c.Leftovers, doubtful)); err != nil {
		return err
	}
	c.Leftovers = append(c.Leftovers, slices.DeleteFunc(doubtful, func(o *memberpreview.Object) bool {
		return o.Unseen == nil && (o.Live == nil || !ownership.Owns(o))
	})...)
	c.look = look.Look()
	c.replace(applied, ownership)
	c.decideLeftovers(ownership)
	c.left = c.findLeftOwners()
	c.denied = slices.DeleteFunc(slices.Clone(c.Items), func(o *memberpreview.Object) bool { return o.Action != takeover.ActionTakeOverFrom || !look.Denies(o) })
	look.SetMissing(ctx, c.Items, c.Leftovers)
	return c.countContents(ctx, look)
}

// workExists tells whether the hub has a Work of a name for the member. That is asked when somebody needs to know.
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
		return names == nil || names[name] // what cannot be asked counts as there: it keeps its objects
	}
}

// preview is the part that others may see.
func (c *Cluster) preview() engine.ClusterPreview {
	out := engine.ClusterPreview{
		Name: c.Name, Picked: c.placed, Reason: c.Decision.Reason, Cause: cmp.Or(c.Decision.Cause, c.Decision.Reason),
		Score: c.Decision.Score, Look: c.look, Err: c.Err, Joining: c.Joining, Leaving: c.Leaving, Resume: c.moves() || len(c.left) > 0,
	}
	if c.placed && !c.Decision.Selected {
		out.Reason, out.Cause = stays+out.Reason, stays+out.Cause
	}
	if c.OverrideErr != nil {
		out.Problem = c.OverrideErr.Error()
	}
	for _, o := range slices.Concat(c.Items, c.Leftovers) {
		out.Objects = append(out.Objects, o.Shown())
	}
	return out
}

// stays is what is told of a cluster that the scheduler would not pick now: under an unchanged policy a hub removes nothing from it for that.
const stays = "the placement is there and stays, although it could not be picked now: "

// moves reports whether the hub's scheduler is to add the placement to the cluster, or to remove it. Under strategy External the scheduler only
// marks a cluster that it no longer picks: a staged update run removes the objects and the binding.
func (c *Cluster) moves() bool {
	marked := c.binding != nil && c.binding.Spec.State == wire.BindingStateUnscheduled && c.prediction.external()
	return c.placed != (c.binding != nil && !marked)
}

// Leaving are the clusters that the placement is to leave and that have something of it, as far as the hub knows, with the reason.
func (p *Prediction) Leaving() map[string]string {
	out := map[string]string{}
	for _, c := range p.Clusters {
		if !c.placed && len(c.works) > 0 {
			out[c.Name] = c.Decision.Reason
		}
	}
	return out
}

// anyOf is one of the AppliedWorks, for dry runs; nil if there is none.
func anyOf(own map[string]metav1.OwnerReference) *metav1.OwnerReference {
	for _, name := range slices.Sorted(maps.Keys(own)) {
		return new(own[name])
	}
	return nil
}
