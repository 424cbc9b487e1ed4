package predict

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

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
	Held Held

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
			some = some || id.IsNamespace() || manifest.IsDefinition(id)
		}
	}
	if !some {
		return nil
	}
	live, err := host.Objects(ctx, cluster, leaving)
	if err != nil {
		return err
	}
	others, err := host.RecordedElsewhere(ctx, cluster, p.Placement.Reference)
	if err != nil {
		return err
	}
	p.going = memberpreview.Going{}
	for _, key := range sortedKeys(live) {
		u := live[key]
		if _, policy := host.Claimed(u, p.Placement.Reference); policy != "" || !host.WrittenBy(u, cluster.FieldManager("")) {
			continue
		}
		if _, taken := others[key]; taken { // by a placement that the object was handed over to
			continue
		}
		id := manifest.NewObject(u, nil).Identifier
		if container, is := source.AsContainer(id, u); is {
			p.Containers = append(p.Containers, &Container{Identifier: id, Live: u, is: container})
		} else {
			p.going[u.GetUID()] = true
		}
	}
	return p.readOccupants(ctx, cluster)
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
	return container != nil && container.Held.Why != ""
}

// hold finds out which containers stay. One of them stays on all clusters, whichever it is that has something in it: the host has one for all.
func (p *Prediction) hold(ctx context.Context, cluster *kube.Cluster) error {
	for _, container := range p.Containers {
		var err error
		if container.Held, err = p.held(ctx, cluster, container); err != nil {
			return err
		}
		for _, c := range p.Clusters {
			o := c.leftoverOf(container.Key())
			if o == nil || o.Action != takeover.ActionPrune || !c.keeps(container) {
				continue
			}
			if container.Held.Why == "" {
				p.occupy(o, container.Held.Occupants)
				continue
			}
			o.Action, o.Obstacle, o.Problem = takeover.ActionOrphan, takeover.ObstacleContents, container.Held.Why
			if container.Held.Unchecked && p.Removing {
				o.Action, o.Obstacle = takeover.ActionUnknown, takeover.ObstacleNotReadable
			}
		}
	}
	return nil
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
