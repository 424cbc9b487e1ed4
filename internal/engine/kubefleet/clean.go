package kubefleet

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// awaitClean waits until the hub has deleted the bindings and Works of a deleted placement. The hub deletes them after the objects on the members. After a
// timeout, awaitClean returns an error that names the members that still have objects, and a result with TimedOut set.
func (e *Engine) awaitClean(ctx context.Context, of engine.Reference) (*engine.Result, error) {
	var remaining []string
	done, err := controlplane.Poll(ctx, e.pace.Pace, func(ctx context.Context) (bool, error) {
		members, err := e.remains(ctx, of)
		if err == nil {
			remaining = members
		}
		return len(members) == 0, err
	})
	if done || err != nil {
		return &engine.Result{}, err
	}
	return &engine.Result{TimedOut: true}, unclean(remaining)
}

// readRemoved reads a placement that is deleted on the hub. If its removal timed out and a member still has objects of the placement, readRemoved returns the
// placement from the state, with a warning, so that another destroy waits for that member. Otherwise it returns [engine.ErrNotFound].
func (e *Engine) readRemoved(ctx context.Context, p engine.Placement) (*engine.Recorded, error) {
	if p.Prior == nil || !p.Prior.Removing {
		return nil, engine.ErrNotFound
	}
	left, err := e.remains(ctx, p.Reference)
	if err != nil {
		return nil, err
	}
	if len(left) == 0 {
		return nil, engine.ErrNotFound
	}
	return &engine.Recorded{
		ID: p.ID, Spec: p.Spec, Manifests: p.Manifests, Status: *p.Prior, Complete: true, Warning: unclean(left).Error(),
	}, nil
}

// unclean returns the error for a deleted placement whose objects remain on the members. members may be empty.
func unclean(members []string) error {
	where := "maybe not removed yet from all members"
	if len(members) > 0 {
		where = "not removed yet from " + strings.Join(members, ", ")
	}
	return fmt.Errorf("the placement is deleted on the hub, and its objects are %s: the member agents remove them when they run, and another destroy "+
		"waits for that. A member that no longer exists blocks the deletion until its MemberCluster is deleted", where)
}

// leaving returns the clusters of f.leaving that still have Works on the hub, each with a text for the status. It skips clusters that the hub has picked,
// contrary to the prediction.
func (e *Engine) leaving(ctx context.Context, f rolloutChange, status placement.Status) (map[string]string, error) {
	left := maps.Clone(f.leaving)
	maps.DeleteFunc(left, func(name, _ string) bool { return status.Clusters[name].IsScheduled() })
	if len(left) == 0 {
		return nil, nil
	}
	works, err := hub.Works(ctx, e.clusters.Hub, "", hub.WorksOf(f.placement.Reference))
	if err != nil {
		return nil, err
	}
	return unemptied(left, works), nil
}

func unemptied(left map[string]string, works []metav1.ObjectMeta) map[string]string {
	out := map[string]string{}
	for _, work := range works {
		name := strings.TrimPrefix(work.Namespace, hub.MemberNamespacePrefix)
		reason, found := left[name]
		switch {
		case !found:
		case work.DeletionTimestamp != nil:
			out[name] = reason + "; its agent has not removed the objects yet, and continues when it runs"
		case out[name] == "":
			out[name] = reason + "; the hub removes the placement when enough clusters are available (max_unavailable)"
		}
	}
	return out
}

// withLeaving adds the clusters in p.leaving to the status. The status of a hub omits these clusters.
func (p progress) withLeaving() placement.Status {
	if len(p.leaving) == 0 {
		return p.status
	}
	out := p.status
	out.Clusters = maps.Clone(out.Clusters)
	for name, why := range p.leaving {
		out.Clusters[name] = placement.ClusterStatus{
			ObservedResourceIndex: cmp.Or(out.ObservedResourceIndex, "0"), // a non-empty index means that there are objects
			Conditions: []placement.Condition{{
				Type: placement.Scheduled, Status: placement.False, Reason: string(placement.PhaseScheduleFailed), Message: why,
				ObservedGeneration: p.generation,
			}},
		}
	}
	return out
}

// remains returns the members for which the hub still has a binding or a Work of the placement.
func (e *Engine) remains(ctx context.Context, of engine.Reference) ([]string, error) {
	bindings, err := hub.List[wire.ClusterResourceBinding](ctx, e.clusters.Hub, hub.KindsOf(of).Binding, of.Namespace, hub.OfPlacement(of))
	if err != nil {
		return nil, err
	}
	works, err := hub.Works(ctx, e.clusters.Hub, "", hub.WorksOf(of))
	if err != nil {
		return nil, err
	}
	var out []string
	for _, b := range bindings {
		out = append(out, b.Spec.TargetCluster)
	}
	for _, w := range works {
		out = append(out, strings.TrimPrefix(w.Namespace, hub.MemberNamespacePrefix))
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}
