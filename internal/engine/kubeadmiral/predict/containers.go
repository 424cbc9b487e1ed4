package predict

import (
	"context"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Container is a Namespace or definition that the provider has made on the host for the placement, and that is to go. A host deletes it on the
// members with everything in it: it stays while anything else is in it anywhere, or may be.
type Container struct {
	manifest.Identifier
	// Live is the object on the host.
	Live *unstructured.Unstructured
	// Held says why it stays; empty if it goes.
	Held string

	is source.Container
}

// IsNamespace tells whether it is a Namespace, which is on every member whatever a policy says.
func (c *Container) IsNamespace() bool { return c.is.Namespace != "" }

// contain finds the containers that are to go: what the record of the policy has, no manifest has any more, and nobody else has made his own. What is
// replaced goes first, and takes them along.
func (p *Prediction) contain(ctx context.Context, cluster *kube.Cluster) error {
	if p.replaced != nil {
		return nil
	}
	var leaving []manifest.Identifier
	some := false
	for _, id := range host.MadeBy(p.Fleet.PolicyLive) {
		if !p.makes(id.Key()) {
			leaving = append(leaving, id)
			some = some || id.Group == "" && id.Kind == "Namespace" || source.IsDefinition(id)
		}
	}
	if !some {
		return nil
	}
	live, err := host.Objects(ctx, cluster, leaving)
	if err != nil {
		return err
	}
	p.going = memberpreview.Going{}
	for _, key := range sortedKeys(live) {
		u := live[key]
		if _, policy := host.Claimed(u, p.Placement.Reference); policy != "" || !host.WrittenBy(u, cluster.FieldManager("")) {
			continue
		}
		id := manifest.NewObject(u, nil).Identifier
		if container, is := source.AsContainer(id, u); is {
			p.Containers = append(p.Containers, &Container{Identifier: id, Live: u, is: container})
		} else {
			p.going[u.GetUID()] = true
		}
	}
	return nil
}

// makes tells whether an object is made on the host of a manifest.
func (p *Prediction) makes(key manifest.Key) bool {
	return slices.ContainsFunc(p.Objects, func(o *Object) bool { return o.Key() == key && o.Manifest != nil })
}

// Container returns the one of a key; nil if there is none.
func (p *Prediction) Container(key manifest.Key) *Container {
	i := slices.IndexFunc(p.Containers, func(c *Container) bool { return c.Key() == key })
	if i < 0 {
		return nil
	}
	return p.Containers[i]
}

// holds tells whether a container stays.
func (p *Prediction) holds(key manifest.Key) bool {
	container := p.Container(key)
	return container != nil && container.Held != ""
}

// hold finds out which containers stay. One of them stays on all clusters, whichever it is that has something in it: the host has one for all.
func (p *Prediction) hold(ctx context.Context, cluster *kube.Cluster) error {
	for _, container := range p.Containers {
		var err error
		if container.Held, err = p.held(ctx, cluster, container); err != nil {
			return err
		}
		for _, c := range p.Clusters {
			if o := c.leftoverOf(container.Key()); container.Held != "" && o != nil && o.Action == takeover.ActionPrune && c.keeps(container) {
				o.Action, o.Obstacle, o.Problem = takeover.ActionOrphan, takeover.ObstacleContents, container.Held
			}
		}
	}
	return nil
}

// held says why a container stays; empty if it goes. Nothing keeps one that is being deleted.
func (p *Prediction) held(ctx context.Context, cluster *kube.Cluster, container *Container) (string, error) {
	if container.Live.GetDeletionTimestamp() != nil {
		return "", nil
	}
	if container.IsNamespace() && convert.Orphan(p.Placement.Spec) == v1alpha1.OrphanAll {
		return "the propagation policy is Abandon, and a host deletes the Namespaces that it has made whatever that says", nil
	}
	placed := &engine.Contents{}
	for _, o := range p.Objects {
		if container.is.Holds(o.Identifier) {
			placed.Add(o.Identifier)
		}
	}
	if !placed.Empty() {
		return placed.Obstacle() + ", which the placement has in it", nil
	}
	if held, err := p.OnHost(ctx, cluster, container); held != "" || err != nil {
		return held, err
	}
	for _, c := range p.Clusters {
		if held := c.holds(container); held != "" {
			return held, nil
		}
	}
	return "", nil
}

// OnHost says what else is in a container on the host by now; empty if nothing is. What the control plane keeps there is about what is placed, and goes
// with that.
func (p *Prediction) OnHost(ctx context.Context, cluster *kube.Cluster, container *Container) (string, error) {
	if container.IsNamespace() {
		kept, err := host.KeptIn(ctx, cluster, container.Name)
		if err != nil {
			return "", err
		}
		for _, uid := range kept {
			p.going[uid] = true
		}
	}
	look := &memberpreview.Member{Cluster: cluster}
	contents, err := look.Contents(ctx, container.is, p.going)
	if err != nil || contents.Empty() {
		return "", err
	}
	return contents.Obstacle() + " on the host", nil
}

// OnMembers says what else is in a container by now on a member from which the host would delete it, or that it cannot be looked at there; empty if
// nothing is.
func (p *Prediction) OnMembers(ctx context.Context, clusters *clusterset.Set, container *Container) (string, error) {
	var names []string
	for _, c := range p.Clusters {
		if o := c.leftoverOf(container.Key()); c.Err == nil && o != nil && o.Action == takeover.ActionPrune {
			names = append(names, c.Name)
		}
	}
	var mu sync.Mutex
	held := map[string]string{}
	err := clusters.Each(ctx, names, func(ctx context.Context, name string) error {
		why, err := p.Cluster(name).contains(kube.ReadAnew(ctx), clusters, container)
		mu.Lock()
		defer mu.Unlock()
		held[name] = why
		return err
	})
	if err == nil {
		err = clusterset.Ended(ctx)
	}
	for _, name := range names {
		if held[name] != "" {
			return held[name], err
		}
	}
	return "", err
}

// contains says what else is in a container on the cluster by now.
func (c *Cluster) contains(ctx context.Context, clusters *clusterset.Set, container *Container) (string, error) {
	member, err := clusters.Member(c.Name)
	if err != nil {
		return "", err
	}
	look := &memberpreview.Member{Cluster: member}
	contents, err := look.Contents(ctx, container.is, c.going)
	switch {
	case clusterset.IsOffline(err):
		return c.unseen(), nil
	case err != nil || contents.Empty():
		return "", err
	}
	return contents.Obstacle() + " on " + c.Name, nil
}

// holds says what the cluster has in a container that would be lost, or that nobody knows; empty if nothing is.
func (c *Cluster) holds(container *Container) string {
	o := c.leftoverOf(container.Key())
	switch {
	case o == nil || !c.takesPart() || !c.keeps(container):
		return ""
	case c.Err != nil:
		return c.unseen()
	case o.Action == takeover.ActionUnknown:
		return "it could not be looked at on " + c.Name + ": " + o.Problem
	case o.Action == takeover.ActionPrune && !o.Contents.Empty():
		return o.Contents.Obstacle() + " on " + c.Name
	}
	return ""
}

// unseen says that nobody knows what is on the cluster.
func (c *Cluster) unseen() string {
	return c.Name + " could not be looked at, where its deletion would take everything with it that is in it"
}

// keeps tells whether the cluster keeps a container that stays on the host. A Namespace is on every member as long as the host has it, and what
// is removed from the placement is left where it is; but a cluster that the policy leaves out loses a definition.
func (c *Cluster) keeps(container *Container) bool {
	return c.prediction.Removing || container.IsNamespace() || c.stays[container.Key()]
}

// takesPart tells whether the host writes to the cluster: it does not to one that has not joined, or that leaves.
func (c *Cluster) takesPart() bool {
	return c.registration != nil && !c.leaving && c.registration.DeletionTimestamp == nil && convert.Is(*c.registration, v1alpha1.ConditionJoined)
}

// leftoverOf is what the cluster has of an object that leaves it; nil if it has not.
func (c *Cluster) leftoverOf(key manifest.Key) *memberpreview.Object {
	i := slices.IndexFunc(c.Leftovers, func(o *memberpreview.Object) bool { return o.Key() == key })
	if i < 0 {
		return nil
	}
	return c.Leftovers[i]
}
