package predict

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/dispatch"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// Leaves reports whether the run removes the cluster from the fleet.
func (c *Cluster) Leaves() bool { return c.leaving }

// cascades reports whether the host deletes its objects on the cluster when the cluster leaves the fleet.
func (c *Cluster) cascades() bool { return c.registration != nil && cascades(*c.registration) }

// cascades reports whether a host deletes its objects on a member when the member leaves the fleet (pkg/controllers/sync).
func cascades(m v1alpha1.FederatedCluster) bool {
	_, annotated := m.Annotations[v1alpha1.CascadingDeleteAnnotation]
	return annotated && convert.Is(m, v1alpha1.ConditionJoined)
}

// leave predicts the action on an object when the cluster leaves the fleet. With the annotation for a cascading deletion, the host deletes the object unless
// its orphan annotation keeps it. For every Namespace, the orphan annotation counts as "adopted".
func (c *Cluster) leave(o *memberpreview.Object) (takeover.Action, takeover.Obstacle, string) {
	if !c.cascades() {
		return takeover.ActionOrphan, takeover.ObstacleLeft, leavesFleet
	}
	f, placed := c.prediction.federated(o.Key())
	if !placed {
		f = c.prediction.Fleet.Followers[o.Key()].Federated
	}
	orphan := f.Annotations[v1alpha1.OrphanAnnotation]
	switch {
	case orphan == v1alpha1.OrphanAll && !o.IsNamespace():
		return takeover.ActionOrphan, takeover.ObstacleAbandoned, "the annotation " + v1alpha1.OrphanAnnotation + " keeps it"
	case (orphan == v1alpha1.OrphanAdopted || o.IsNamespace()) && dispatch.Adopted(o.Live):
		return takeover.ActionOrphan, takeover.ObstacleAdopted, "it is pre-existing"
	}
	return takeover.ActionPrune, takeover.ObstacleNone, ""
}
