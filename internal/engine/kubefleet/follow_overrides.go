package kubefleet

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/predict"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// overrides are those that a change is to be placed with. An override changes neither the generation of the placement nor its content: that the
// hub has come to it can only be seen by the snapshots of which the status tells.
type overrides struct {
	all override.Overrides
	// on are those of every cluster that is to be picked.
	on map[string][]override.Reference
}

// overridesOf finds out which those are. Where that cannot be told the hub cannot either, and says so.
func overridesOf(found *predict.Prediction) overrides {
	on, err := found.Overridden()
	if err != nil {
		return overrides{}
	}
	return overrides{all: found.Overrides, on: on}
}

// behind are the clusters, with what is said of them, of which what the hub says is not about these overrides. The hub is asked only where there are
// any, or were.
func (o overrides) behind(ctx context.Context, e *Engine, status placement.Status) ([]string, error) {
	var namespaced, some bool
	for name, cluster := range status.Clusters {
		inNamespaces := slices.ContainsFunc(o.on[name], func(r override.Reference) bool { return r.Namespace != "" })
		namespaced = namespaced || inNamespaces || len(cluster.ApplicableResourceOverrides) > 0
		some = some || namespaced || len(o.on[name]) > 0 || len(cluster.ApplicableClusterResourceOverrides) > 0
	}
	if !some {
		return nil, nil
	}
	latest, err := hub.LatestOverrides(ctx, e.clusters.Hub, namespaced)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(status.Clusters)) {
		cluster := status.Clusters[name]
		if cluster.IsScheduled() && cluster.Phase() != placement.PhaseRolloutNotStarted && !o.told(name, cluster, latest) {
			out = append(out, name)
		}
	}
	return out, nil
}

// told tells whether a cluster has just these overrides, as they are now.
func (o overrides) told(name string, cluster placement.ClusterStatus, latest hub.OverrideSnapshots) bool {
	told := slices.Clone(cluster.ApplicableResourceOverrides)
	for _, snapshot := range cluster.ApplicableClusterResourceOverrides {
		told = append(told, placement.NamespacedName{Name: snapshot})
	}
	want, inForce := o.all.Specs(), latest.Specs()
	return len(told) == len(o.on[name]) && !slices.ContainsFunc(o.on[name], func(r override.Reference) bool {
		snapshot := placement.NamespacedName{Namespace: r.Namespace, Name: latest.Names[r]}
		return !reflect.DeepEqual(want[r], inForce[r]) || !slices.Contains(told, snapshot)
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
	return []string{fmt.Sprintf("the hub has not come to %s with the overrides as they are now. It does so by itself only where an override names its "+
		"placement: set \"placement\" in it, or change something that the placement selects", strings.Join(behind, ", "))}
}
