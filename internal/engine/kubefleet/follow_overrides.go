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

// overrides are the overrides with which a change must be placed. An override changes neither the generation of the placement nor its content. Only the
// override snapshots that the status names show that the hub has applied an override.
type overrides struct {
	// of is the placement. all are the overrides on the hub.
	of  engine.Reference
	all override.Overrides
	// on lists the overrides of every cluster that the placement is expected to pick; nil if they are unknown.
	on map[string][]override.Reference
}

// overridesOf returns the overrides of a prediction. If they cannot be determined, it returns none: the hub cannot determine them either, and reports the
// error.
func overridesOf(found *predict.Prediction) overrides {
	on, err := found.Overridden()
	if err != nil {
		return overrides{}
	}
	return overrides{of: found.Placement.Reference, all: found.Overrides, on: on}
}

// clustersBehind returns the picked clusters that the rollout has reached, but to which the hub has not applied the current overrides. It returns nil if the
// expected overrides are unknown. It sends no request if neither the expected overrides nor the status contain an override.
func (o overrides) clustersBehind(ctx context.Context, e *Engine, status placement.Status) ([]string, error) {
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
		if tried, err = o.triedSnapshots(ctx, e); err != nil {
			return nil, err
		}
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(status.Clusters)) {
		cluster := status.Clusters[name]
		applied := snapshots(cluster.ApplicableClusterResourceOverrides, cluster.ApplicableResourceOverrides)
		if cluster.Phase() == placement.PhaseOverriddenFailed {
			applied = tried[name]
		}
		if cluster.IsScheduled() && cluster.Phase() != placement.PhaseRolloutNotStarted && !o.matches(name, applied, latest) {
			out = append(out, name)
		}
	}
	return out, nil
}

// triedSnapshots returns the override snapshots that the hub has tried to apply, by the name of each bound cluster. It reads them from the bindings, because
// the status omits snapshots that the hub could not apply.
func (o overrides) triedSnapshots(ctx context.Context, e *Engine) (map[string][]placement.NamespacedName, error) {
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

func snapshots(cluster []string, namespaced []placement.NamespacedName) []placement.NamespacedName {
	out := slices.Clone(namespaced)
	for _, name := range cluster {
		out = append(out, placement.NamespacedName{Name: name})
	}
	return out
}

// matches reports whether the applied snapshots of the named cluster are exactly the latest snapshots of its overrides, with the expected content.
func (o overrides) matches(name string, applied []placement.NamespacedName, latest hub.OverrideSnapshots) bool {
	want, inForce := o.all.Specs(), latest.Specs()
	return len(applied) == len(o.on[name]) && !slices.ContainsFunc(o.on[name], func(r override.Reference) bool {
		snapshot := placement.NamespacedName{Namespace: r.Namespace, Name: latest.Names[r]}
		return !override.Same(want[r], inForce[r]) || !slices.Contains(applied, snapshot)
	})
}

// warnBehind returns a warning that names the clusters to which the hub has not applied the current overrides. It returns nil if there are no such clusters, if
// they cannot be determined, or if the apply has timed out.
func (o overrides) warnBehind(ctx context.Context, e *Engine, result *engine.Result) []string {
	if result.TimedOut {
		return nil // the timeout is reported
	}
	behind, err := o.clustersBehind(ctx, e, result.Status)
	if err != nil || len(behind) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("the hub has not applied the current overrides to %s. The hub applies them only if an override that names its placement changes, "+
		"not if labels of a member change: set \"placement\" in the override, or change an object that the placement selects",
		strings.Join(behind, ", "))}
}
