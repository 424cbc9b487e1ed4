package predict

import (
	"context"
	"maps"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/dispatch"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

func sortedKeys[V any](in map[manifest.Key]V) []manifest.Key {
	return slices.SortedFunc(maps.Keys(in), manifest.Key.Compare)
}

const leavesFleet = "the cluster leaves the fleet: KubeAdmiral removes nothing from it, and the label " + v1alpha1.ManagedLabel + " remains"

// remain adds the objects that the host has applied on a removed member to the leftovers, because they remain there.
func (c *Cluster) remain() {
	for _, id := range c.remaining() {
		o := &memberpreview.Object{}
		o.ObjectPreview = engine.ObjectPreview{
			Identifier: id, Action: takeover.ActionOrphan, Obstacle: takeover.ObstacleLeft, Exists: true, Owned: true, Problem: leavesFleet,
		}
		c.Leftovers = append(c.Leftovers, o)
	}
}

// decideLeftovers predicts the actions on the leftovers, and counts the contents that are deleted with them. Later, [Prediction.hold] decides for all clusters
// together whether the provider keeps a container because of its contents.
func (c *Cluster) decideLeftovers(ctx context.Context, member *memberpreview.Member) error {
	going := memberpreview.Deleted{}
	for _, o := range c.Leftovers {
		preview := engine.ObjectPreview{Identifier: o.Identifier, Exists: o.Live != nil, Owned: o.Live != nil && member.Ownership.Owns(o)}
		preview.Action, preview.Obstacle, preview.Problem = c.leftover(o)
		if preview.Action == takeover.ActionHandOver {
			preview.To, _ = c.handedTo(o.Key())
		}
		preview.Given = c.given(o)
		if o.ObjectPreview = preview; preview.Action == takeover.ActionPrune {
			going[o.Live.GetUID()] = true
		}
	}
	for _, o := range c.Leftovers {
		container, is := source.AsContainer(o.Identifier, o.Live)
		if o.Action != takeover.ActionPrune || !is {
			continue
		}
		var first memberpreview.First
		if c.prediction.Container(o.Key()) != nil {
			first = c.prediction.firstOnMember()
		}
		var err error
		if o.Contents, err = member.ContentsAfter(ctx, container, going, first); err != nil {
			return err
		}
	}
	c.going = going
	return nil
}

// leftover predicts the action on one object. If an object leaves the placement, its taken-over copies on members remain. If an object leaves only the
// cluster, or is a follower, the control plane deletes it on the cluster and ignores the orphan annotation.
func (c *Cluster) leftover(o *memberpreview.Object) (takeover.Action, takeover.Obstacle, string) {
	p := c.prediction
	to, why := c.handedTo(o.Key())
	stays := slices.ContainsFunc(p.Objects, func(other *Object) bool { return other.Key() == o.Key() })
	switch {
	case o.Unseen != nil && to == "":
		return takeover.ActionUnknown, takeover.ObstacleNotReadable, o.Unseen.Error()
	case o.Unseen != nil:
		return takeover.ActionHandOver, takeover.ObstacleNone, why
	case o.Live == nil:
		return takeover.ActionNone, takeover.ObstacleNone, ""
	case !dispatch.Managed(o.Live):
		return takeover.ActionNone, takeover.ObstacleNotOwned, "it no longer belongs to the placement"
	case to != "":
		return takeover.ActionHandOver, takeover.ObstacleNone, why
	case c.leaving || c.registration == nil || c.registration.DeletionTimestamp != nil:
		return c.leave(o)
	case stays, p.IsFollower(o.Key()):
		return takeover.ActionPrune, takeover.ObstacleNone, ""
	case convert.Orphan(p.Placement.Spec) == v1alpha1.OrphanAll:
		return takeover.ActionOrphan, takeover.ObstacleAbandoned, "the propagation policy is Abandon"
	case dispatch.Adopted(o.Live):
		return takeover.ActionOrphan, takeover.ObstacleAdopted, "it is pre-existing"
	}
	return takeover.ActionPrune, takeover.ObstacleNone, ""
}
