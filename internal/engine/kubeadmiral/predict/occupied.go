package predict

import (
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/dispatch"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/occupants"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// A container is occupied while it contains objects of another placement that the same run may remove; see package occupants. The record on the policy of a
// placement lists the objects that its removal deletes on the host. The control plane deletes such an object on the members before it is deleted on the host.

// readOccupants reads, for a removal, the objects of other placements in the containers, and determines what the same run does with these placements.
func (p *Prediction) readOccupants(ctx context.Context, cluster *kube.Cluster) error {
	if !p.Removing || len(p.Containers) == 0 {
		return nil
	}
	found, err := host.Occupants(ctx, cluster, p.Placement.Reference, func(id manifest.Identifier) bool {
		return slices.ContainsFunc(p.Containers, func(c *Container) bool { return c.is.Holds(id) })
	})
	if err != nil {
		return err
	}
	var names []string
	for _, o := range found {
		names = append(names, o.Of.String())
	}
	p.occupied, p.others = found, occupants.Of(p.run, names)
	return nil
}

// firstOnHost returns a function that identifies the objects on the host that the removals of other placements delete, or nil if there are none.
func (p *Prediction) firstOnHost(manager string) memberpreview.First {
	return p.first(func(o host.Occupant, object metav1.Object) bool {
		_, other := host.Claimed(object, o.Of)
		return other == "" && host.WrittenBy(object, manager)
	})
}

// firstOnMember returns a function that identifies the objects on a member that the removals of other placements delete, or nil if there are none.
func (p *Prediction) firstOnMember() memberpreview.First {
	return p.first(func(o host.Occupant, object metav1.Object) bool {
		remains := o.Orphan == v1alpha1.OrphanAll || o.Orphan == v1alpha1.OrphanAdopted && dispatch.Adopted(object)
		return dispatch.Managed(object) && !remains
	})
}

func (p *Prediction) first(deletes func(host.Occupant, metav1.Object) bool) memberpreview.First {
	if len(p.occupied) == 0 {
		return nil
	}
	removed := p.others.With(engine.FateUnknown, engine.FatePlanned, engine.FateRemoving)
	return func(object manifest.Identifier, meta metav1.ObjectMeta) string {
		o, found := p.occupied[object.Key()]
		if name := o.Of.String(); found && slices.Contains(removed, name) && deletes(o, &meta) {
			return name
		}
		return ""
	}
}

// decide determines how the objects of other placements in a container affect its deletion. If the plan did not show the deletion, the container is kept. If
// the plan showed the deletion, the plan assumed that these placements are removed too. The container is then not kept because of their objects: its
// deletion waits for the removals.
func (p *Prediction) decide(container *Container, held Held) Held {
	agreed := p.agreesToDelete(container)
	switch {
	case held.Unchecked:
	case held.Why == "" && len(held.Occupants) > 0 && !agreed:
		return Held{Why: occupants.Lost(held.Occupants)}
	case held.Why != "" && agreed && p.isDeletionShown(container):
		if names := p.inside(container); len(names) > 0 {
			return Held{Occupants: names}
		}
	}
	if held.Why != "" {
		held.Occupants = nil
	}
	return held
}

// inside returns the names of the other placements whose records list objects in a container.
func (p *Prediction) inside(container *Container) []string {
	var out []string
	for key, o := range p.occupied {
		if container.is.Holds(manifest.Identifier{Group: key.Group, Kind: key.Kind, Namespace: key.Namespace, Name: key.Name}) {
			out = append(out, o.Of.String())
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// agreesToDelete reports whether the plan has shown the deletion of a container on all clusters that would lose it. It returns true if there is no plan.
func (p *Prediction) agreesToDelete(container *Container) bool {
	return !slices.ContainsFunc(p.Clusters, func(c *Cluster) bool {
		return c.deletes(container) && p.options.Expected.ContradictsDeletion(c.Name, container.Key(), nil) != ""
	})
}

// isDeletionShown reports whether the plan has shown the deletion of a container on a cluster. It returns false if there is no plan.
func (p *Prediction) isDeletionShown(container *Container) bool {
	return p.options.Expected != nil && slices.ContainsFunc(p.Clusters, func(c *Cluster) bool {
		return p.options.Expected.ContradictsDeletion(c.Name, container.Key(), nil) == ""
	})
}

// deletes reports whether the host deletes a container on the cluster if the container is not kept.
func (c *Cluster) deletes(container *Container) bool {
	o := c.leftoverOf(container.Key())
	return c.Err == nil && o != nil && (o.Action == takeover.ActionPrune || o.Obstacle == takeover.ObstacleOccupied)
}

// occupy changes the preview of a container that can be deleted only after other placements are removed. A plan shows the deletion as deferred if one of the
// removals is not certain. An apply always defers the deletion, because it waits for the removals.
func (p *Prediction) occupy(o *memberpreview.Object, names []string) {
	if len(names) == 0 {
		return
	}
	others := occupants.Occupants{}
	for _, name := range names {
		others[name] = p.others[name]
	}
	o.Contents.First = slices.Clone(names)
	waits := names
	if !p.options.Applying {
		others.SetOpen(o.Contents)
		waits = o.Contents.Open
	}
	if len(waits) > 0 {
		o.Action, o.Obstacle, o.Problem = takeover.ActionDefer, takeover.ObstacleOccupied, occupants.Deferred(waits, "")
	}
}
