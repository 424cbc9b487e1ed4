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
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Cluster is the prediction for one member.
type Cluster struct {
	Name string
	// Items are the objects to place on the cluster. Leftovers are the placement's objects on the cluster that should no longer be there.
	Items, Leftovers []*memberpreview.Object
	Err              error

	prediction   *Prediction
	registration *v1alpha1.FederatedCluster
	decision     Pick
	// picked are the objects that are placed on the cluster.
	picked map[manifest.Key]bool
	// unserved are the kinds of the objects that the scheduler would place on the cluster if the cluster served these kinds.
	unserved []schema.GroupVersionKind
	// foreign are the objects that would be placed on the cluster if they did not belong to another placement.
	foreign []foreign
	// bound reports whether any object of the placement is on the cluster, or is being propagated to it.
	bound bool
	// stays has the CustomResourceDefinitions that leave the placement, with true if the policy still picks the cluster for them. Then they remain on the cluster
	// as long as they remain on the host.
	stays map[manifest.Key]bool
	// going are the objects that are deleted on the cluster, and their known dependents.
	going            memberpreview.Deleted
	joining, leaving bool
	checkMethod      engine.CheckMethod
	// unasked are the objects that the control plane overwrites because of their label, although no takeover was requested.
	unasked []*memberpreview.Object
}

// Picked reports whether the scheduler picks the cluster for any object of the placement.
func (c *Cluster) Picked() bool { return c.decision.Selected }

// Places reports whether the object is placed on the cluster.
func (c *Cluster) Places(key manifest.Key) bool { return c.picked[key] }

// isConcerned reports whether any object of the placement is on the cluster, or will be. A Namespace that the placement deletes or takes over is on every
// joined member.
func (c *Cluster) isConcerned() bool {
	return len(c.picked) > 0 || len(c.foreign) > 0 || c.bound || c.registration != nil && convert.Is(*c.registration, v1alpha1.ConditionJoined) &&
		(slices.ContainsFunc(c.prediction.Containers, (*Container).IsNamespace) || c.prediction.takesNamespace())
}

// markUnread marks the leftovers as unknown if the cluster could not be read. Objects that another placement takes over are marked as handed over.
func (c *Cluster) markUnread() {
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

func (c *Cluster) examine(ctx context.Context, clusters *clusterset.Set) error {
	c.checkMethod = engine.CheckOffline
	p := c.prediction
	for _, o := range p.Objects {
		given := o.IsNamespace() && o.Giver != nil && c.takesPart()
		if c.decision.Selected && (c.picked[o.Key()] || o.IsNamespace()) || given {
			item := &memberpreview.Object{Desired: o.Outgoing}
			item.Identifier, item.Action = o.Identifier, takeover.ActionNone
			if p.hasWriteOnlyValues(o) {
				item.Hidden = source.HideContent(manifest.NewObject(o.Outgoing, nil))
			}
			c.Items = append(c.Items, item)
		}
	}
	for _, id := range c.left() {
		object := &memberpreview.Object{}
		object.Identifier, object.Action = id, takeover.ActionNone
		c.Leftovers = append(c.Leftovers, object)
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
	return c.previewMember(ctx, clusters, member)
}

// hasWriteOnlyValues reports whether the members have, or may have, values from write-only manifests in an object, even if it comes from other manifests now.
func (p *Prediction) hasWriteOnlyValues(o *Object) bool {
	listed := host.WriteOnlyOf(p.Fleet.PolicyLive)
	if o.Giver != nil {
		listed = append(listed, host.WriteOnlyOf(o.Giver.PolicyLive)...)
	}
	return slices.ContainsFunc(listed, func(id manifest.Identifier) bool { return id.Key() == o.Key() })
}

// IsUpdated reports whether an update of the object is necessary on a cluster, or cannot be ruled out.
func (p *Prediction) IsUpdated(id manifest.Identifier) bool {
	return slices.ContainsFunc(p.Clusters, func(c *Cluster) bool {
		_, isUnconfigured := errors.AsType[*engine.UnseenError](c.Err) // without a connection, plans never show objects on the cluster
		return c.takesPart() && c.Err != nil && !isUnconfigured || slices.ContainsFunc(c.Items, func(item *memberpreview.Object) bool {
			return item.Key() == id.Key() && item.Exists && item.Action != takeover.ActionNone
		})
	})
}

// left returns the placement's objects on the cluster that should no longer be there.
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

func (c *Cluster) previewMember(ctx context.Context, clusters *clusterset.Set, member *kube.Cluster) error {
	p := c.prediction
	ownership := &dispatch.Ownership{
		Synced: map[manifest.Key]int64{},
		Released: func(o *memberpreview.Object) bool {
			return p.replaced.releases(o.Identifier, o.Live, c.Name) || p.recreated.releases(o.Identifier, o.Live, c.Name)
		},
	}
	writer := &dispatch.Writer{Cluster: member, Generations: map[manifest.Key]int64{}, KeepsReplicas: map[manifest.Key]bool{}}
	objects := map[manifest.Key]*Object{}
	for _, o := range p.Objects {
		objects[o.Key()] = o
		writer.KeepsReplicas[o.Key()] = keepsReplicas(o, clusters.Hub.FieldManager(""))
		if o.Live == nil {
			continue
		}
		writer.Generations[o.Key()] = o.Live.GetGeneration()
		if f, found := p.federated(o.Key()); found && f.Current() && o.observed && !o.Changing {
			if state, _, _ := f.On(c.Name); state == convert.SyncDone {
				ownership.Synced[o.Key()] = f.GenerationOn(c.Name)
			}
		}
	}
	strategy := *p.Spec.Strategy.ApplyStrategy
	strategy.Type, strategy.ServerSideApplyConfig = placement.ClientSideApply, nil // the control plane replaces objects, so there are no field manager conflicts
	read := &memberpreview.Member{
		Cluster: member, Schema: clusters.Schema, Ownership: ownership, Writer: writer, Strategy: strategy,
		Expected: p.options.Expected, Applying: p.options.Applying, Defines: c.defines, DryRun: true, FieldManager: dispatch.FieldManager, WritesToTerminating: true,
		Replaces:       true,
		Unavailable:    p.Placement.PriorCluster(c.Name).Unavailable(),
		ProviderOfKind: func(kind schema.GroupVersionKind) string { return p.options.World.ProviderOfKind(c.Name, kind) },
		Namespaces:     p.options.World.Namespaces[c.Name],
		WillBeGone: func(id manifest.Identifier, live *unstructured.Unstructured) bool {
			return p.replaced.deletes(id, live, c.Name) || p.recreated.deletes(id, live, c.Name)
		},
	}
	for _, item := range c.Items {
		keepNodePorts(ctx, member, item)
		if writer.KeepsReplicas[item.Key()] {
			keepReplicas(ctx, member, item)
		}
	}
	if err := read.Preview(ctx, c.Items, c.Leftovers); err != nil {
		return err
	}
	c.checkMethod = read.CheckMethod()
	with := refineInput{clusters: clusters, member: read, writer: writer}
	for _, item := range c.Items {
		preview, err := c.decide(ctx, with, objects[item.Key()], item)
		if err != nil {
			return err
		}
		item.ObjectPreview = preview
	}
	if err := c.decideLeftovers(ctx, read); err != nil {
		return err
	}
	read.SetMissing(ctx, c.Items, c.Leftovers)
	return nil
}

// keepsReplicas reports whether the control plane keeps the replica count of members. This depends on the annotation that the object will have on the
// host: the annotation of its manifest, or one that another field manager has set. If the provider set the annotation and the manifest no longer has it, the
// apply removes it.
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

// keepReplicas copies the replica count of the object on the member to item, because the count on the host can be a default.
func keepReplicas(ctx context.Context, member *kube.Cluster, item *memberpreview.Object) {
	if item.Desired == nil {
		return
	}
	live, err := member.Get(ctx, item.GroupVersionKind(), item.Namespace, item.Name)
	if err != nil { // the preview reads the object too, and reports the error
		return
	}
	if replicas, found, _ := unstructured.NestedFieldCopy(live.Object, "spec", "replicas"); found {
		item.Desired = item.Desired.DeepCopy()
		_ = unstructured.SetNestedField(item.Desired.Object, replicas, "spec", "replicas") // the API server rejects an object for which this fails
	}
}

func (c *Cluster) defines(gvk schema.GroupVersionKind) bool {
	return slices.ContainsFunc(c.prediction.content.defines, func(defines func(schema.GroupVersionKind) bool) bool { return defines(gvk) })
}

type adoption int

const (
	adoptionNone adoption = iota
	adoptionYes
	adoptionRefused
)

// adopts returns whether the host may take over a pre-existing copy of o on the cluster. adoptionRefused means that the prediction skips the copy. always
// reports that when_to_take_over is Always. before reports that the annotation of o already lists the cluster. If the cluster was not read, or if it does
// not get o, the result is adoptionYes if always or before is true.
func (c *Cluster) adopts(o *Object, before, always bool) adoption {
	i := slices.IndexFunc(c.Items, func(item *memberpreview.Object) bool { return item.Key() == o.Key() })
	yes := func(is bool) adoption {
		if is {
			return adoptionYes
		}
		return adoptionNone
	}
	if i < 0 || c.Err != nil || c.checkMethod == engine.CheckOffline {
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

func (c *Cluster) preview() engine.ClusterPreview {
	p := c.prediction
	out := engine.ClusterPreview{
		Name: c.Name, Picked: c.decision.Selected, Reason: c.decision.Reason, Cause: c.decision.Cause, CheckMethod: c.checkMethod, Err: c.Err, Joining: c.joining,
		Leaving: c.leaving, Resume: c.moves(), Unserved: c.unserved,
	}
	if out.Cause == "" {
		out.Cause = out.Reason
	}
	if !p.Removing && c.decision.Selected {
		out.Resume = out.Resume || p.Changes() || c.isBehind() || p.isUnobserved()
	}
	for _, o := range slices.Concat(c.Items, c.Leftovers) {
		out.Objects = append(out.Objects, o.Shown())
	}
	return out
}

// moves reports whether the placement moves to the cluster or leaves it.
func (c *Cluster) moves() bool {
	if c.prediction.Removing {
		return c.bound
	}
	if c.prediction.isAllForeign() {
		return c.bound
	}
	if c.prediction.hasOnlyNamespaces() { // the host creates them on every member, independent of the policy
		return c.bound && !c.decision.Selected
	}
	return c.decision.Selected != c.bound
}

// isBehind reports whether the policy picks the cluster for an object that the host has not placed there. A cluster that was not ready when the object was
// scheduled is not considered again until something triggers rescheduling.
func (c *Cluster) isBehind() bool {
	for key := range c.picked {
		if f, found := c.prediction.Fleet.Federated[key]; found && f.Current() && !slices.Contains(f.Placed(), c.Name) {
			return true
		}
	}
	return false
}

// isUnobserved reports whether the control plane has not observed a manifest that an earlier apply wrote to the host.
func (p *Prediction) isUnobserved() bool {
	return slices.ContainsFunc(p.Objects, func(o *Object) bool {
		_, found := p.Fleet.Federated[o.Key()]
		return found && o.Manifest != nil && o.Live != nil && !o.IsNamespace() && !o.observed
	})
}

// Behind reports whether an object is not placed on a cluster that the policy picks.
func (p *Prediction) Behind() bool { return slices.ContainsFunc(p.Clusters, (*Cluster).isBehind) }

// Reason returns why the cluster is picked or not picked.
func (c *Cluster) Reason() string { return c.decision.Reason }
