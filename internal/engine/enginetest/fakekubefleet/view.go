package fakekubefleet

import (
	"context"
	"errors"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	api "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/cluster/v1beta1"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// view is everything on the hub that its agent uses.
type view struct {
	at time.Time
	// number is the count of changes on the hub before the view was read.
	number int
	// again: the view was processed before, and no time-dependent change is due.
	again      bool
	members    []api.MemberCluster
	placements []wire.ClusterResourcePlacement
	policies   []wire.ClusterSchedulingPolicySnapshot
	contents   []wire.ClusterResourceSnapshot
	bindings   []wire.ClusterResourceBinding
	works      []wire.Work
	// written are the overrides, overrides their latest snapshots, and finalized the overrides as objects.
	written    override.Overrides
	overrides  hub.OverrideSnapshots
	finalized  []finalized
	runs       []wire.ClusterStagedUpdateRun
	strategies []wire.ClusterStagedUpdateStrategy
	approvals  []wire.ClusterApprovalRequest
	evictions  []wire.ClusterResourcePlacementEviction
	budgets    []wire.ClusterResourcePlacementDisruptionBudget
}

func (h *Hub) view(ctx context.Context) (*view, error) {
	v := &view{at: time.Now()}
	v.number, _ = h.changes.ofFleet()
	scoped := h.scoped.Load() // objects of namespaced placements can outlive the placements for a while
	group, looking := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		v.members, err = list[api.MemberCluster](looking, &h.decoded, h.set.Hub, hub.MemberCluster)
		return err
	})
	group.Go(func() (err error) {
		v.placements, err = listBoth[wire.ClusterResourcePlacement](looking, &h.decoded, h.set.Hub, true, func(k hub.Kinds) schema.GroupKind { return k.Placement })
		return err
	})
	group.Go(func() (err error) {
		v.policies, err = listBoth[wire.ClusterSchedulingPolicySnapshot](looking, &h.decoded, h.set.Hub, scoped, func(k hub.Kinds) schema.GroupKind { return k.PolicySnapshot })
		return err
	})
	group.Go(func() (err error) {
		v.contents, err = listBoth[wire.ClusterResourceSnapshot](looking, &h.decoded, h.set.Hub, scoped, func(k hub.Kinds) schema.GroupKind { return k.ResourceSnapshot })
		return err
	})
	group.Go(func() (err error) {
		v.bindings, err = listBoth[wire.ClusterResourceBinding](looking, &h.decoded, h.set.Hub, scoped, func(k hub.Kinds) schema.GroupKind { return k.Binding })
		return err
	})
	group.Go(func() (err error) {
		v.works, err = list[wire.Work](looking, &h.decoded, h.set.Hub, hub.Work)
		return err
	})
	group.Go(func() error { return v.readOverrides(looking, h.set.Hub) })
	group.Go(func() (err error) {
		v.overrides, err = hub.LatestOverrides(looking, h.set.Hub, true)
		return err
	})
	group.Go(func() error { return v.dayTwo(looking, h.set.Hub, scoped) })
	if err := group.Wait(); err != nil {
		return nil, err
	}
	inNamespace := func(p wire.ClusterResourcePlacement) bool { return p.Namespace != "" }
	left := func(b wire.ClusterResourceBinding) bool { return b.Namespace != "" }
	running := func(r wire.ClusterStagedUpdateRun) bool { return r.Namespace != "" }
	h.scoped.Store(slices.ContainsFunc(v.placements, inNamespace) || slices.ContainsFunc(v.bindings, left) || slices.ContainsFunc(v.runs, running))
	if h.scoped.Load() && !scoped {
		return h.view(ctx)
	}
	return v, nil
}

// dayTwo reads staged updates and evictions, which are rare, if the hub serves them.
func (v *view) dayTwo(ctx context.Context, cluster *kube.Cluster, scoped bool) (err error) {
	scopes := []engine.Reference{{}}
	if scoped {
		scopes = append(scopes, engine.Reference{Namespace: "any"})
	}
	for _, of := range scopes {
		kinds := hub.StagedKindsOf(of)
		// Read approvals before runs: the hub agent deletes an approval without a run.
		approvals, err := ifServed(hub.List[wire.ClusterApprovalRequest](ctx, cluster, kinds.Approval, "", ""))
		if err != nil {
			return err
		}
		runs, err := ifServed(hub.List[wire.ClusterStagedUpdateRun](ctx, cluster, kinds.Run, "", ""))
		if err != nil {
			return err
		}
		v.runs, v.approvals = append(v.runs, runs...), append(v.approvals, approvals...)
		if len(runs) == 0 {
			continue
		}
		strategies, err := ifServed(hub.List[wire.ClusterStagedUpdateStrategy](ctx, cluster, kinds.Strategy, "", ""))
		if err != nil {
			return err
		}
		v.strategies = append(v.strategies, strategies...)
	}
	if v.evictions, err = ifServed(hub.List[wire.ClusterResourcePlacementEviction](ctx, cluster, hub.Eviction, "", "")); len(v.evictions) > 0 && err == nil {
		v.budgets, err = ifServed(hub.List[wire.ClusterResourcePlacementDisruptionBudget](ctx, cluster, hub.DisruptionBudget, "", ""))
	}
	return err
}

func ifServed[T any](found []T, err error) ([]T, error) {
	if _, missing := errors.AsType[*engine.NotServedError](err); missing {
		return nil, nil
	}
	return found, err
}

// belongs reports whether an object belongs to a placement.
func belongs(object metav1.ObjectMeta, placement engine.Reference) bool {
	return object.Labels[wire.PlacementLabel] == placement.Name && object.Namespace == placement.Namespace
}

// ownerOf returns the placement of a binding.
func ownerOf(b wire.ClusterResourceBinding) engine.Reference {
	return engine.Reference{Namespace: b.Namespace, Name: b.Labels[wire.PlacementLabel]}
}

// placementOf returns the placement of a Work.
func placementOf(w wire.Work) engine.Reference {
	return engine.Reference{Namespace: w.Labels[wire.PlacementNamespaceLabel], Name: w.Labels[wire.PlacementLabel]}
}

// worksOf returns the Works of a placement for a member.
func (v *view) worksOf(placement engine.Reference, member string) []wire.Work {
	var out []wire.Work
	for _, w := range v.works {
		if placementOf(w) == placement && w.Namespace == namespaceOf(member) {
			out = append(out, w)
		}
	}
	return out
}

// bindingsOf returns the bindings of a placement.
func (v *view) bindingsOf(placement engine.Reference) []wire.ClusterResourceBinding {
	var out []wire.ClusterResourceBinding
	for _, b := range v.bindings {
		if belongs(b.ObjectMeta, placement) {
			out = append(out, b)
		}
	}
	return out
}
