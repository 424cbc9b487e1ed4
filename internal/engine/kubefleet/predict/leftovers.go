package predict

import (
	"context"
	"fmt"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/agent"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// leftovers returns the objects in applied and others that are neither in Items nor in Leftovers. applied has the objects that the agent applied. others are
// objects that the agent may own.
func (c *Cluster) leftovers(applied []appliedWork, others []manifest.Identifier) []*memberpreview.Object {
	known := map[manifest.Key]bool{}
	for _, o := range slices.Concat(c.Items, c.Leftovers) {
		known[o.Key()] = true
	}
	for _, work := range applied {
		for _, resource := range work.Status.AppliedResources {
			others = append(others, agent.Identifier(resource))
		}
	}
	var out []*memberpreview.Object
	for _, id := range others {
		object := &memberpreview.Object{}
		object.Identifier, object.Action = id, takeover.ActionNone
		if key := object.Key(); !known[key] {
			known[key] = true
			out = append(out, object)
		}
	}
	return out
}

// listClaimed returns the objects in the Works that the hub deletes, because the agent may own such objects although it has not applied them. The agent adds
// its owner reference before it applies an object, even if it only reports differences, or if the API server then rejects the apply. The AppliedWork does not
// list such objects, but they are deleted with it. If the hub reports all objects on the cluster as applied, listClaimed returns nil.
func (c *Cluster) listClaimed(ctx context.Context, cluster *kube.Cluster) ([]manifest.Identifier, error) {
	p, names := c.prediction, c.deletedWorks()
	if len(names) == 0 {
		return nil, nil
	}
	if found := p.Fleet.Placement; found != nil {
		status := convert.PlacementStatus(found.Status, nil).Clusters[c.Name]
		if applied, known := status.Condition(placement.Applied); known && applied.Status == placement.True {
			return nil, nil
		}
	}
	return hub.Manifests(ctx, cluster, c.Name, p.Placement.Reference, names)
}

func (c *Cluster) decideLeftovers(ownership *agent.Ownership) {
	for _, o := range c.Leftovers {
		preview := engine.ObjectPreview{Identifier: o.Identifier, Exists: o.Live != nil, Owned: o.Live != nil && ownership.Owns(o)}
		preview.Action, preview.Obstacle, preview.Problem = c.predictLeftover(o, ownership)
		if to, problem := c.handedTo(o); to != "" &&
			(preview.Action == takeover.ActionPrune || preview.Action == takeover.ActionUnknown || preview.Obstacle == takeover.ObstacleAbandoned) {
			preview.Action, preview.Obstacle, preview.To, preview.Problem = takeover.ActionHandOver, takeover.ObstacleNone, to, problem
		}
		o.ObjectPreview = preview
	}
}

// countContents counts the objects that are deleted with their Namespace or CustomResourceDefinition.
func (c *Cluster) countContents(ctx context.Context, member *memberpreview.Member) error {
	deleted, objects := memberpreview.Deleted{}, slices.Concat(c.Items, c.Leftovers)
	objects = slices.DeleteFunc(objects, func(o *memberpreview.Object) bool {
		return o.Action != takeover.ActionPrune && o.Action != takeover.ActionReplace
	})
	for _, o := range objects {
		deleted[c.live(o).GetUID()] = true
	}
	for _, o := range objects {
		container, is := source.AsContainer(o.Identifier, c.live(o))
		if !is {
			continue
		}
		var err error
		if o.Contents, err = member.Contents(ctx, container, deleted); err != nil {
			return err
		}
	}
	return nil
}

// predictLeftover predicts the action for one object. The agent deletes an object without another owner. If the object has another owner, the agent only
// removes its own owner reference. It does not change an object that it no longer owns (KubeFleet, pkg/controllers/workapplier: removeOneLeftOverManifest). The
// garbage collector does the same for a deleted Work. predictLeftover also returns the obstacle and its description, if there is an obstacle.
func (c *Cluster) predictLeftover(o *memberpreview.Object, ownership *agent.Ownership) (takeover.Action, takeover.Obstacle, string) {
	switch {
	case c.onlyReports() && len(c.deletedWorks()) == 0:
		return takeover.ActionNone, takeover.ObstacleNone, "" // the agent removes nothing while it only reports
	case o.Unseen != nil:
		return takeover.ActionUnknown, takeover.ObstacleNotReadable, o.Unseen.Error()
	case o.Live == nil:
		return takeover.ActionNone, takeover.ObstacleNone, ""
	case !ownership.Owns(o):
		return takeover.ActionNone, takeover.ObstacleNotOwned, "it no longer belongs to the placement"
	case c.Leaving || c.registration == nil || c.registration.DeletionTimestamp != nil:
		return takeover.ActionOrphan, takeover.ObstacleLeft, "the cluster leaves the fleet, and its agent removes no objects"
	case !ownership.Holds(o.Live, agent.Release):
		return takeover.ActionNone, takeover.ObstacleNone, "" // the hub keeps the Work of the object, so the agent does not remove the object
	case ownership.Deletes(o.Live) && c.prediction.Abandons():
		return takeover.ActionOrphan, takeover.ObstacleAbandoned, "strategy.delete_strategy.propagation_policy is \"Abandon\""
	case ownership.Deletes(o.Live):
		return takeover.ActionPrune, takeover.ObstacleNone, ""
	}
	other := ownership.References(o.Live)[0]
	return takeover.ActionOrphan, takeover.ObstacleOwnerReferences, fmt.Sprintf("%s %s owns it too", other.Kind, other.Name)
}
