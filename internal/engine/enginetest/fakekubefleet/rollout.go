package fakekubefleet

import (
	"context"
	"fmt"
	"reflect"
	"time"

	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/rollout"
)

// step returns what the rollout may do now.
func (h *Hub) step(l *round) (rollout.Step, error) {
	var clusters []rollout.Cluster
	selected := 0
	for _, b := range l.bindings {
		one := rollout.Cluster{Name: b.Spec.TargetCluster, Change: rollout.None, State: rollout.Ready, Trackable: true}
		switch {
		case b.DeletionTimestamp != nil:
			one.Change, one.State = rollout.Remove, rollout.Removing
		case b.Spec.State == wire.BindingStateUnscheduled:
			one.Change = rollout.Remove
			h.stand(l, b, &one)
		case b.Spec.State == wire.BindingStateScheduled:
			one.Change = rollout.Create
			selected++
		default:
			if !l.current(b) {
				one.Change = rollout.Update
			}
			h.stand(l, b, &one)
			selected++
		}
		clusters = append(clusters, one)
	}
	target := selected
	switch policy := l.spec.Policy; {
	case policy.PlacementType == placement.PickFixed:
		target = len(policy.ClusterNames)
	case policy.PlacementType == placement.PickN && policy.NumberOfClusters != nil:
		target = int(*policy.NumberOfClusters)
	}
	settings, err := rollout.ParseSettings(*l.spec.Strategy.RollingUpdate, target)
	if err != nil {
		return rollout.Step{}, err
	}
	next := rollout.Next(settings, clusters, time.Now())
	// A hub removes unavailable clusters only while enough others are available. Clusters that the policy requires but does not find count as unavailable
	// (KubeFleet, pkg/controllers/rollout: calculateMaxToRemove).
	removable := next.Budget.Working - (target - settings.MaxUnavailable.Of(target))
	next.Remove = next.Remove[:max(0, min(len(next.Remove), removable))]
	return next, nil
}

// stand sets the state of a cluster from its agent's reports about the content on the cluster.
func (h *Hub) stand(l *round, b wire.ClusterResourceBinding, one *rollout.Cluster) {
	sum := h.sum(l, b)
	switch {
	case sum.missing > 0, !l.isSynchronized(b):
		one.State = rollout.Applying
	case len(sum.failed) > 0:
		one.State = rollout.Failing
	case l.spec.Strategy.ApplyStrategy.Type == placement.ReportDiff:
		one.State = rollout.Reported
	case len(sum.waiting) > 0:
		one.State = rollout.NotReady
	default:
		one.Trackable = sum.untracked == 0
		key := fmt.Sprint(b.Name, b.Spec.ResourceSnapshotName, b.Spec.ClusterResourceOverrideSnapshots, b.Spec.ResourceOverrideSnapshots)
		if l.mind.since[key].IsZero() {
			l.mind.since[key] = time.Now()
		}
		one.AvailableSince = l.mind.since[key]
	}
}

// rollout updates bindings to the latest content, and removes those of clusters that are no longer picked.
func (h *Hub) rollout(ctx context.Context, l *round) (wrote bool, err error) {
	if l.spec.Strategy.Type == placement.ExternalStrategy {
		return false, nil
	}
	if wrote, err := h.strategies(ctx, l); wrote || err != nil {
		return wrote, err // the next round starts the rollout
	}
	step, err := h.step(l)
	if err != nil {
		return false, err
	}
	start, remove := set(step.Start), set(step.Remove)
	for i, b := range l.bindings {
		switch name := b.Spec.TargetCluster; {
		case b.DeletionTimestamp != nil:
		case b.Spec.State == wire.BindingStateUnscheduled:
			if remove[name] {
				wrote = true
				err = h.remove(ctx, hub.KindsOf(l.of()).Binding, l.crp.Namespace, b.Name, b.UID)
			}
		case start[name]:
			wrote = true
			overrides := l.overriddenOn(name)
			l.bindings[i].Spec.State, l.bindings[i].Spec.ResourceSnapshotName = wire.BindingStateBound, l.content
			l.bindings[i].Spec.ClusterResourceOverrideSnapshots, l.bindings[i].Spec.ResourceOverrideSnapshots = overrides.cluster, overrides.namespaced
			err = h.patch(ctx, hub.KindsOf(l.of()).Binding, l.crp.Namespace, b.Name, "", map[string]any{"spec": map[string]any{
				"state": wire.BindingStateBound, "resourceSnapshotName": l.content,
				"clusterResourceOverrideSnapshots": overrides.cluster, "resourceOverrideSnapshots": overrides.namespaced,
			}})
		}
		if err != nil {
			return wrote, err
		}
	}
	return wrote, nil
}

// strategies writes the apply strategy to every binding that is not being deleted, including those of clusters which the placement leaves (KubeFleet,
// pkg/controllers/rollout: processApplyStrategyUpdates).
func (h *Hub) strategies(ctx context.Context, l *round) (wrote bool, err error) {
	strategy := l.crp.Spec.Strategy.ApplyStrategy
	for i, b := range l.bindings {
		if b.DeletionTimestamp != nil || reflect.DeepEqual(b.Spec.ApplyStrategy, strategy) {
			continue
		}
		how, err := fields(strategy, "allowCoOwnership", "serverSideApplyConfig")
		if err != nil {
			return wrote, err
		}
		wrote, l.bindings[i].Spec.ApplyStrategy = true, strategy
		err = h.patch(ctx, hub.KindsOf(l.of()).Binding, l.crp.Namespace, b.Name, "", map[string]any{"spec": map[string]any{"applyStrategy": how}})
		if err != nil {
			return wrote, err
		}
	}
	return wrote, nil
}

func set(names []string) map[string]bool {
	out := map[string]bool{}
	for _, name := range names {
		out[name] = true
	}
	return out
}
