package standin

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	api "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/cluster/v1beta1"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
)

// view is everything on the hub that its agent goes by.
type view struct {
	at         time.Time
	members    []api.MemberCluster
	placements []wire.ClusterResourcePlacement
	policies   []wire.ClusterSchedulingPolicySnapshot
	contents   []wire.ClusterResourceSnapshot
	bindings   []wire.ClusterResourceBinding
	works      []wire.Work
	overrides  override.Overrides
}

func (h *Hub) view(ctx context.Context) (*view, error) {
	v := &view{at: time.Now()}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		v.members, err = hub.List[api.MemberCluster](ctx, h.set.Hub, hub.MemberCluster, "", "")
		return err
	})
	group.Go(func() (err error) {
		v.placements, err = hub.List[wire.ClusterResourcePlacement](ctx, h.set.Hub, hub.ClusterPlacement, "", "")
		return err
	})
	group.Go(func() (err error) {
		v.policies, err = hub.List[wire.ClusterSchedulingPolicySnapshot](ctx, h.set.Hub, hub.PolicySnapshot, "", "")
		return err
	})
	group.Go(func() (err error) {
		v.contents, err = hub.List[wire.ClusterResourceSnapshot](ctx, h.set.Hub, hub.ResourceSnapshot, "", "")
		return err
	})
	group.Go(func() (err error) {
		v.bindings, err = hub.List[wire.ClusterResourceBinding](ctx, h.set.Hub, hub.Binding, "", "")
		return err
	})
	group.Go(func() (err error) {
		v.works, err = hub.List[wire.Work](ctx, h.set.Hub, hub.Work, "", "")
		return err
	})
	group.Go(func() (err error) {
		v.overrides, err = hub.Overrides(ctx, h.set.Hub, true)
		return err
	})
	return v, group.Wait()
}

// worksOf are the Works of a placement for a member.
func (v *view) worksOf(placement, member string) []wire.Work {
	var out []wire.Work
	for _, w := range v.works {
		if w.Labels[wire.PlacementLabel] == placement && w.Namespace == namespaceOf(member) {
			out = append(out, w)
		}
	}
	return out
}

// bindingsOf are the bindings of a placement.
func (v *view) bindingsOf(placement string) []wire.ClusterResourceBinding {
	var out []wire.ClusterResourceBinding
	for _, b := range v.bindings {
		if b.Labels[wire.PlacementLabel] == placement {
			out = append(out, b)
		}
	}
	return out
}
