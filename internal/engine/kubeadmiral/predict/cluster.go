package predict

import (
	"context"
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/dispatch"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Cluster is what is going to happen on one cluster.
type Cluster struct {
	Name string
	// Items are the objects that belong on the cluster, Leftovers those that it has of the placement and that no longer do.
	Items, Leftovers []*memberpreview.Object
	// Err is why the cluster could not be looked at.
	Err error

	prediction   *Prediction
	registration *v1alpha1.FederatedCluster
	decision     Pick
	// picked are the objects that go there.
	picked map[manifest.Key]bool
	// unserved are kinds for which the scheduler excludes the cluster that it would pick otherwise.
	unserved []schema.GroupVersionKind
	// foreign are the objects that would go there if no other placement had them.
	foreign []foreign
	// bound tells whether anything of the placement is there, or on its way.
	bound bool
	// stays are the definitions that leave the placement, and would be there still if they stayed on the host.
	stays map[manifest.Key]bool
	// going are the objects that are deleted there, with what is known to belong to them.
	going            memberpreview.Going
	joining, leaving bool
	look             engine.Look
	// unasked are those that the control plane overwrites because of their label, without having been asked to take them over.
	unasked []*memberpreview.Object
}

// Picked tells whether anything of the placement goes to the cluster.
func (c *Cluster) Picked() bool { return c.decision.Selected }

// Places tells whether an object goes there.
func (c *Cluster) Places(key manifest.Key) bool { return c.picked[key] }

// concerned tells whether anything of the placement is on the cluster, or is to be. A Namespace of the host is wherever it writes.
func (c *Cluster) concerned() bool {
	return len(c.picked) > 0 || len(c.foreign) > 0 || c.bound || c.registration != nil && convert.Is(*c.registration, v1alpha1.ConditionJoined) &&
		(slices.ContainsFunc(c.prediction.Containers, (*Container).IsNamespace) || c.prediction.takesNamespace())
}

// unlooked tells of what leaves a cluster that could not be looked at: it does, as far as the host is asked, and nobody knows what is there.
func (c *Cluster) unlooked() {
	if c.Err == nil || !c.takesPart() {
		return
	}
	for _, o := range c.Leftovers {
		if to, why := c.handedTo(o.Key()); to != "" {
			o.ObjectPreview = engine.ObjectPreview{Identifier: o.Identifier, Action: takeover.ActionHandOver, To: to, Problem: why}
			continue
		}
		o.ObjectPreview = engine.ObjectPreview{
			Identifier: o.Identifier, Action: takeover.ActionUnknown, Obstacle: takeover.ObstacleNotReadable, Problem: "the cluster could not be checked",
		}
	}
}

// examine finds out what is going to happen on the cluster.
func (c *Cluster) examine(ctx context.Context, clusters *clusterset.Set) error {
	c.look = engine.LookOffline
	p := c.prediction
	placed := map[manifest.Key]*Object{}
	for _, o := range p.Objects {
		given := o.IsNamespace() && o.Giver != nil && c.takesPart()
		if c.decision.Selected && (c.picked[o.Key()] || o.IsNamespace()) || given {
			item := &memberpreview.Object{Desired: o.Outgoing}
			item.Identifier, item.Action = o.Identifier, takeover.ActionNone
			c.Items = append(c.Items, item)
			placed[o.Key()] = o
		}
	}
	for _, id := range c.left() {
		object := &memberpreview.Object{}
		object.Identifier, object.Action = id, takeover.ActionNone
		c.Leftovers = append(c.Leftovers, object)
	}
	member, err := clusters.Member(c.Name)
	if _, missing := errors.AsType[*engine.NotConfiguredError](err); missing {
		return &engine.UnseenError{Member: c.Name, Reported: p.Placement.PriorCluster(c.Name).Phase()}
	}
	if err != nil {
		return err
	}
	if err := c.ask(ctx, clusters, member); err != nil {
		return err
	}
	for _, item := range c.Items {
		if o := placed[item.Key()]; o != nil && o.Refused != nil {
			item.ObjectPreview = refusedByHost(item.ObjectPreview, o.Refused)
			item.LacksNamespace = o.homeless
		}
	}
	return nil
}

// refusedByHost is the preview of an object that the host does not take.
func refusedByHost(preview engine.ObjectPreview, err error) engine.ObjectPreview {
	return decided(preview, takeover.Rejected(takeover.ObstacleAdmission, takeover.ReasonManifestApplyFailed, "the host refuses it: "+err.Error()))
}

// left are the objects that the cluster has of the placement and that no longer belong there.
func (c *Cluster) left() []manifest.Identifier {
	var out []manifest.Identifier
	for _, key := range append(sortedKeys(c.prediction.Fleet.Federated), sortedKeys(c.prediction.given)...) {
		f, _ := c.prediction.federated(key)
		namespace := f.Identifier().IsNamespace()
		follower, follows := c.prediction.Fleet.Followers[key]
		if c.picked[key] || namespace || !f.Involves(c.Name) || follows && c.keepsFollower(follower) {
			continue
		}
		out = append(out, f.Identifier())
	}
	out = append(out, c.leftFollowers()...)
	for _, container := range c.prediction.Containers {
		if container.IsNamespace() {
			out = append(out, container.Identifier)
		}
	}
	return out
}

// ask looks at the member.
func (c *Cluster) ask(ctx context.Context, clusters *clusterset.Set, member *kube.Cluster) error {
	p := c.prediction
	ownership := &dispatch.Ownership{
		Synced: map[manifest.Key]int64{},
		Released: func(o *memberpreview.Object) bool {
			return p.replaced.releases(o.Identifier, o.Live, c.Name) || p.recreated.releases(o.Identifier, o.Live, c.Name)
		},
	}
	writer := &dispatch.Writer{Cluster: member, Generations: map[manifest.Key]int64{}, KeepsReplicas: map[manifest.Key]bool{}}
	filled := map[manifest.Key]bool{}
	for _, o := range p.Objects {
		filled[o.Key()] = o.Filled
		writer.KeepsReplicas[o.Key()] = keepsReplicas(o, clusters.Hub.FieldManager(""))
		if o.Live == nil {
			continue
		}
		writer.Generations[o.Key()] = o.Live.GetGeneration()
		if f, found := p.federated(o.Key()); found && f.Current() && !o.Changing {
			if standing, _, _ := f.On(c.Name); standing == convert.StandingDone {
				ownership.Synced[o.Key()] = f.GenerationOn(c.Name)
			}
		}
	}
	strategy := *p.Spec.Strategy.ApplyStrategy
	strategy.Type, strategy.ServerSideApplyConfig = placement.ClientSideApply, nil // a replacement conflicts with nobody
	look := &memberpreview.Member{
		Cluster: member, Schema: clusters.Schema, Ownership: ownership, Writer: writer, Strategy: strategy,
		Expected: p.options.Expected, Applying: p.options.Applying, Defines: c.defines, DryRun: true, FieldManager: dispatch.FieldManager, IntoDeleted: true,
		Unavailable: p.Placement.PriorCluster(c.Name).Unavailable(),
		Brings:      func(kind schema.GroupVersionKind) string { return p.options.World.Brings(c.Name, kind) },
		Namespaces:  p.options.World.Namespaces[c.Name],
		Gone: func(id manifest.Identifier, live *unstructured.Unstructured) bool {
			return p.replaced.deletes(id, live, c.Name) || p.recreated.deletes(id, live, c.Name)
		},
	}
	for _, item := range c.Items {
		keepNodePorts(ctx, member, item)
		if writer.KeepsReplicas[item.Key()] {
			keepReplicas(ctx, member, item)
		}
	}
	if err := look.Preview(ctx, c.Items, c.Leftovers); err != nil {
		return err
	}
	c.look = look.Look()
	for _, item := range c.Items {
		if err := c.refine(ctx, refining{clusters: clusters, look: look, writer: writer, filled: filled}, item); err != nil {
			return err
		}
	}
	if err := c.decideLeftovers(ctx, look); err != nil {
		return err
	}
	look.SetMissing(ctx, c.Items, c.Leftovers)
	return nil
}

// keepsReplicas tells whether the control plane leaves the number of replicas to members, by the annotation that the object is going to have on the
// host: that of its manifest, or one of somebody else's. One that the provider has put there goes with the manifest that had it.
func keepsReplicas(o *Object, manager string) bool {
	if o.Manifest != nil {
		if value, written := o.Manifest.GetAnnotations()[v1alpha1.RetainReplicasAnnotation]; written {
			return value == "true"
		}
	}
	if o.Live == nil || o.Live.GetAnnotations()[v1alpha1.RetainReplicasAnnotation] != "true" {
		return false
	}
	writer := diff.WriterOf(o.Live, "metadata", "annotations", v1alpha1.RetainReplicasAnnotation)
	return o.Manifest == nil || writer.Name != manager
}

// keepReplicas keeps the number of replicas that an object has on a member: the host has one that it has filled in.
func keepReplicas(ctx context.Context, member *kube.Cluster, item *memberpreview.Object) {
	if item.Desired == nil {
		return
	}
	live, err := member.Get(ctx, item.GroupVersionKind(), item.Namespace, item.Name)
	if err != nil { // the preview reads it, too, and tells why it cannot
		return
	}
	if replicas, found, _ := unstructured.NestedFieldCopy(live.Object, "spec", "replicas"); found {
		item.Desired = item.Desired.DeepCopy()
		_ = unstructured.SetNestedField(item.Desired.Object, replicas, "spec", "replicas") // what is in the way is refused by the API server
	}
}

func (c *Cluster) defines(gvk schema.GroupVersionKind) bool {
	return slices.ContainsFunc(c.prediction.content.defines, func(defines func(schema.GroupVersionKind) bool) bool { return defines(gvk) })
}

// adoption is whether an object may be taken over on a cluster.
type adoption int

const (
	adoptionNone adoption = iota
	adoptionYes
	adoptionRefused
)

// adopts tells it. before says that the object names the cluster already, always that the mode is Always: a cluster that could not be looked at
// is then one where it may.
func (c *Cluster) adopts(o *Object, before, always bool) adoption {
	i := slices.IndexFunc(c.Items, func(item *memberpreview.Object) bool { return item.Key() == o.Key() })
	yes := func(is bool) adoption {
		if is {
			return adoptionYes
		}
		return adoptionNone
	}
	if i < 0 || c.Err != nil || c.look == engine.LookOffline {
		return yes(always || before)
	}
	item := c.Items[i]
	switch {
	case item.Action == takeover.ActionTakeOver:
		return adoptionYes
	case item.Action == takeover.ActionLeaveAlone:
		return adoptionRefused
	case item.Live != nil && item.Owned && dispatch.Adopted(item.Live):
		return adoptionYes
	default:
		return yes(always)
	}
}

// preview is the part that others may see.
func (c *Cluster) preview() engine.ClusterPreview {
	p := c.prediction
	out := engine.ClusterPreview{
		Name: c.Name, Picked: c.decision.Selected, Reason: c.decision.Reason, Cause: c.decision.Cause, Look: c.look, Err: c.Err, Joining: c.joining,
		Leaving: c.leaving, Resume: c.moves(), Unserved: c.unserved,
	}
	if out.Cause == "" {
		out.Cause = out.Reason
	}
	if !p.Removing && c.decision.Selected {
		out.Resume = out.Resume || p.Changes() || c.behind()
	}
	for _, o := range slices.Concat(c.Items, c.Leftovers) {
		out.Objects = append(out.Objects, o.Shown())
	}
	return out
}

// moves tells whether the placement comes to the cluster, or leaves it.
func (c *Cluster) moves() bool {
	if c.prediction.Removing {
		return c.bound
	}
	if c.prediction.isAllForeign() {
		return c.bound
	}
	if c.prediction.hasOnlyNamespaces() { // the host places them on every member, whatever the policy picks
		return c.bound && !c.decision.Selected
	}
	return c.decision.Selected != c.bound
}

// behind tells whether the control plane has not placed something on a cluster that the policy asks for: it does not by itself, where the cluster
// was not ready when it decided.
func (c *Cluster) behind() bool {
	for key := range c.picked {
		if f, found := c.prediction.Fleet.Federated[key]; found && f.Current() && !slices.Contains(f.Placed(), c.Name) {
			return true
		}
	}
	return false
}

// Behind tells whether the control plane has not placed something on a cluster that the policy asks for.
func (p *Prediction) Behind() bool { return slices.ContainsFunc(p.Clusters, (*Cluster).behind) }

// Reason is why the cluster is picked, or not.
func (c *Cluster) Reason() string { return c.decision.Reason }
