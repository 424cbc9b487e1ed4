package predict

import (
	"context"
	"fmt"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// decideLeftovers foresees what becomes of the objects that no longer belong on the cluster, and counts what goes with them: a hub holds nothing
// back.
func (c *Cluster) decideLeftovers(ctx context.Context, member *memberpreview.Member) error {
	going := memberpreview.Going{}
	for _, o := range c.Leftovers {
		preview := engine.ObjectPreview{Identifier: o.Identifier, Exists: o.Live != nil, Owned: o.Live != nil && member.Ownership.Owns(o)}
		preview.Action, preview.Obstacle, preview.Problem = c.leftover(o, member)
		if o.ObjectPreview = preview; preview.Action == takeover.ActionPrune {
			going[o.Live.GetUID()] = true
		}
	}
	for _, o := range c.Leftovers {
		container, is := source.AsContainer(o.Identifier, o.Live)
		if o.Action != takeover.ActionPrune || !is {
			continue
		}
		var err error
		if o.Contents, err = member.Contents(ctx, container, going); err != nil {
			return err
		}
	}
	return nil
}

// leftover foresees what becomes of one object. The agent deletes what nobody else owns too, and lets go of the rest; an object that is not its
// own any more it leaves alone (KubeFleet, pkg/controllers/workapplier: findLeftOverManifests, and the garbage collector for a whole Work).
func (c *Cluster) leftover(o *memberpreview.Object, member *memberpreview.Member) (takeover.Action, takeover.Obstacle, string) {
	p := c.prediction
	switch {
	case !p.Removing && c.Decision.Selected && p.Spec.Strategy.ApplyStrategy.Type == placement.ReportDiff:
		return takeover.ActionNone, takeover.ObstacleNone, "" // the agent cleans nothing up while it only reports
	case o.Unseen != nil:
		return takeover.ActionUnknown, takeover.ObstacleNotReadable, o.Unseen.Error()
	case o.Live == nil:
		return takeover.ActionNone, takeover.ObstacleNone, ""
	case !member.Ownership.Owns(o):
		return takeover.ActionNone, takeover.ObstacleNotOwned, "it is not the placement's own any more"
	case c.Leaving || c.registration == nil || c.registration.DeletionTimestamp != nil:
		return takeover.ActionOrphan, takeover.ObstacleLeft, "the cluster leaves the fleet, and its agent removes nothing"
	}
	if others := member.Ownership.References(o.Live); len(others) > 0 {
		return takeover.ActionOrphan, takeover.ObstacleOwnerReferences, fmt.Sprintf("%s %s owns it too", others[0].Kind, others[0].Name)
	}
	return takeover.ActionPrune, takeover.ObstacleNone, ""
}
