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

// Container is a Namespace or CustomResourceDefinition that the provider created on the host for the placement, and that is no longer placed. If the
// provider deleted it, the host would delete it on the members with all its contents. The provider therefore keeps it while any cluster has, or may have,
// other objects in it.
type Container struct {
	manifest.Identifier
	Live *unstructured.Unstructured
	Held Held

	is source.Container
}

// IsNamespace reports whether the container is a Namespace. A Namespace is on every member, regardless of policies.
func (c *Container) IsNamespace() bool { return c.is.Namespace != "" }

// findContainers sets p.Containers to the containers in the record of the policy that no manifest contains any more. It omits those that the provider does not
// own any more, and those that another placement has taken over. It finds none in a replacement, because the removal of the prior placement deletes them.
func (p *Prediction) findContainers(ctx context.Context, cluster *kube.Cluster) error {
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
	p.going = memberpreview.Deleted{}
	for _, key := range sortedKeys(live) {
		u := live[key]
		if _, policy := host.Claimed(u, p.Placement.Reference); policy != "" || !host.WrittenBy(u, cluster.FieldManager("")) {
			continue
		}
		if _, taken := others[key]; taken { // the object was handed over to another placement
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

// makes reports whether a manifest of the placement contains the object.
func (p *Prediction) makes(key manifest.Key) bool {
	return slices.ContainsFunc(p.Objects, func(o *Object) bool { return o.Key() == key && o.Manifest != nil })
}

// Container returns the container with the key, or nil if there is none.
func (p *Prediction) Container(key manifest.Key) *Container {
	i := slices.IndexFunc(p.Containers, func(c *Container) bool { return c.Key() == key })
	if i < 0 {
		return nil
	}
	return p.Containers[i]
}

// holds reports whether a container with the key is kept.
func (p *Prediction) holds(key manifest.Key) bool {
	container := p.Container(key)
	return container != nil && container.Held.Why != ""
}

// hold determines which containers are kept. A container with contents on one cluster is kept on all clusters, because the host has one object for all of
// them.
func (p *Prediction) hold(ctx context.Context, cluster *kube.Cluster) error {
	for _, container := range p.Containers {
		var err error
		if container.Held, err = p.reasonToKeep(ctx, cluster, container); err != nil {
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

// keeps reports whether a container that remains on the host also remains on the cluster. A Namespace remains on every member as long as it is on the host.
// When the placement is removed, all containers remain. Otherwise, a CustomResourceDefinition is deleted on a cluster that the policy no longer picks.
func (c *Cluster) keeps(container *Container) bool {
	return c.prediction.Removing || container.IsNamespace() || c.stays[container.Key()]
}

// takesPart reports whether the host writes to the cluster. This requires that the cluster has joined and is not leaving.
func (c *Cluster) takesPart() bool {
	return c.registration != nil && !c.leaving && c.registration.DeletionTimestamp == nil && convert.Is(*c.registration, v1alpha1.ConditionJoined)
}

func (c *Cluster) leftoverOf(key manifest.Key) *memberpreview.Object {
	i := slices.IndexFunc(c.Leftovers, func(o *memberpreview.Object) bool { return o.Key() == key })
	if i < 0 {
		return nil
	}
	return c.Leftovers[i]
}
