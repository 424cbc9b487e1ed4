package kubefleet

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/predict"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// overrides are those that a change is to be placed with. An override changes neither the generation of the placement nor its content: that the
// hub has come to it can only be seen by the snapshots of which the status tells.
type overrides struct {
	of  engine.Reference
	all override.Overrides
	// on are those of every cluster that is to be picked; nil if that cannot be told.
	on map[string][]override.Reference
}

// overridesOf finds out which those are. Where that cannot be told the hub cannot either, and says so.
func overridesOf(found *predict.Prediction) overrides {
	on, err := found.Overridden()
	if err != nil {
		return overrides{}
	}
	return overrides{of: found.Placement.Reference, all: found.Overrides, on: on}
}

// behind are the clusters, with what is said of them, of which what the hub says is not about these overrides. The hub is asked only where there are
// any, or were.
func (o overrides) behind(ctx context.Context, e *Engine, status placement.Status) ([]string, error) {
	if o.on == nil {
		return nil, nil
	}
	var namespaced, some, failed bool
	for name, cluster := range status.Clusters {
		inNamespaces := slices.ContainsFunc(o.on[name], func(r override.Reference) bool { return r.Namespace != "" })
		namespaced = namespaced || inNamespaces || len(cluster.ApplicableResourceOverrides) > 0
		failed = failed || cluster.Phase() == placement.PhaseOverriddenFailed
		some = some || namespaced || len(o.on[name]) > 0 || len(cluster.ApplicableClusterResourceOverrides) > 0
	}
	if !some {
		return nil, nil
	}
	latest, err := hub.LatestOverrides(ctx, e.clusters.Hub, namespaced)
	if err != nil {
		return nil, err
	}
	tried := map[string][]placement.NamespacedName{}
	if failed {
		if tried, err = o.tried(ctx, e); err != nil {
			return nil, err
		}
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(status.Clusters)) {
		cluster := status.Clusters[name]
		told := snapshots(cluster.ApplicableClusterResourceOverrides, cluster.ApplicableResourceOverrides)
		if cluster.Phase() == placement.PhaseOverriddenFailed {
			told = tried[name]
		}
		if cluster.IsScheduled() && cluster.Phase() != placement.PhaseRolloutNotStarted && !o.told(name, told, latest) {
			out = append(out, name)
		}
	}
	return out, nil
}

// tried are the snapshots with which the hub has come to each cluster, also where it could not apply them: of that no status tells.
func (o overrides) tried(ctx context.Context, e *Engine) (map[string][]placement.NamespacedName, error) {
	bindings, err := hub.List[wire.ClusterResourceBinding](ctx, e.clusters.Hub, hub.KindsOf(o.of).Binding, o.of.Namespace, hub.OfPlacement(o.of))
	out := map[string][]placement.NamespacedName{}
	for _, b := range bindings {
		var namespaced []placement.NamespacedName
		for _, s := range b.Spec.ResourceOverrideSnapshots {
			namespaced = append(namespaced, placement.NamespacedName{Namespace: s.Namespace, Name: s.Name})
		}
		if b.Spec.State == wire.BindingStateBound {
			out[b.Spec.TargetCluster] = snapshots(b.Spec.ClusterResourceOverrideSnapshots, namespaced)
		}
	}
	return out, err
}

// snapshots are those of both kinds of overrides.
func snapshots(cluster []string, namespaced []placement.NamespacedName) []placement.NamespacedName {
	out := slices.Clone(namespaced)
	for _, name := range cluster {
		out = append(out, placement.NamespacedName{Name: name})
	}
	return out
}

// told tells whether a cluster of which these snapshots are told has just these overrides, as they are now.
func (o overrides) told(name string, told []placement.NamespacedName, latest hub.OverrideSnapshots) bool {
	want, inForce := o.all.Specs(), latest.Specs()
	return len(told) == len(o.on[name]) && !slices.ContainsFunc(o.on[name], func(r override.Reference) bool {
		snapshot := placement.NamespacedName{Namespace: r.Namespace, Name: latest.Names[r]}
		return !override.Same(want[r], inForce[r]) || !slices.Contains(told, snapshot)
	})
}

// forgotten warns of clusters that the hub has not come to with the overrides in the time that it may take.
func (o overrides) forgotten(ctx context.Context, e *Engine, result *engine.Result) []string {
	if result.TimedOut {
		return nil // which is told
	}
	behind, err := o.behind(ctx, e, result.Status)
	if err != nil || len(behind) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("the hub has not come to %s with the overrides as they are now. It does so by itself only when an override changes that "+
		"names its placement, and not when labels of a member change: set \"placement\" in it, or change something that the placement selects",
		strings.Join(behind, ", "))}
}
