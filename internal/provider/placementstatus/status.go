package placementstatus

import (
	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/difference"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/identifier"
)

type statusModel struct {
	ObservedResourceIndex string                    `tfsdk:"observed_resource_index"`
	HubUID                string                    `tfsdk:"hub_uid"`
	Unfilled              int64                     `tfsdk:"unfilled"`
	Conditions            map[string]conditionModel `tfsdk:"conditions"`
	SelectedResources     []identifier.Model        `tfsdk:"selected_resources"`
	PlacementStatuses     map[string]clusterModel   `tfsdk:"placement_statuses"`
}

type clusterModel struct {
	ClusterName              string                    `tfsdk:"cluster_name"`
	ClusterUID               string                    `tfsdk:"cluster_uid"`
	ObservedResourceIndex    string                    `tfsdk:"observed_resource_index"`
	Phase                    domain.Phase              `tfsdk:"phase"`
	ClusterResourceOverrides []string                  `tfsdk:"applicable_cluster_resource_overrides"`
	ResourceOverrides        []namespacedName          `tfsdk:"applicable_resource_overrides"`
	Conditions               map[string]conditionModel `tfsdk:"conditions"`
	FailedPlacements         []failedModel             `tfsdk:"failed_placements"`
	DriftedPlacements        []driftedModel            `tfsdk:"drifted_placements"`
	DiffedPlacements         []diffedModel             `tfsdk:"diffed_placements"`
}

type namespacedName struct {
	Namespace string `tfsdk:"namespace"`
	Name      string `tfsdk:"name"`
}

type conditionModel struct {
	Type               string `tfsdk:"type"`
	Status             string `tfsdk:"status"`
	Reason             string `tfsdk:"reason"`
	Message            string `tfsdk:"message"`
	ObservedGeneration int64  `tfsdk:"observed_generation"`
}

type failedModel struct {
	identifier.Model
	Condition conditionModel `tfsdk:"condition"`
}

type driftedModel struct {
	identifier.Model
	ObservationTime                 string                   `tfsdk:"observation_time"`
	FirstDriftedObservedTime        string                   `tfsdk:"first_drifted_observed_time"`
	TargetClusterObservedGeneration int64                    `tfsdk:"target_cluster_observed_generation"`
	ObservedDrifts                  []difference.PatchDetail `tfsdk:"observed_drifts"`
}

type diffedModel struct {
	identifier.Model
	ObservationTime                 string                   `tfsdk:"observation_time"`
	FirstDiffedObservedTime         string                   `tfsdk:"first_diffed_observed_time"`
	TargetClusterObservedGeneration int64                    `tfsdk:"target_cluster_observed_generation"`
	ObservedDiffs                   []difference.PatchDetail `tfsdk:"observed_diffs"`
}

func flattenStatus(status domain.Status) *statusModel {
	out := &statusModel{
		ObservedResourceIndex: status.ObservedResourceIndex, HubUID: status.HubUID, Unfilled: int64(status.Unfilled),
		Conditions:        flattenConditions(status.Conditions),
		SelectedResources: convert.All(status.SelectedResources, identifier.Flatten),
		PlacementStatuses: map[string]clusterModel{},
	}
	for name, cluster := range status.Clusters {
		out.PlacementStatuses[name] = clusterModel{
			ClusterName: name, ClusterUID: cluster.ClusterUID, ObservedResourceIndex: cluster.ObservedResourceIndex,
			Phase:                    cluster.Phase(),
			ClusterResourceOverrides: append([]string{}, cluster.ApplicableClusterResourceOverrides...),
			ResourceOverrides:        convert.All(cluster.ApplicableResourceOverrides, func(n domain.NamespacedName) namespacedName { return namespacedName(n) }),
			Conditions:               flattenConditions(cluster.Conditions),
			FailedPlacements:         convert.All(cluster.FailedPlacements, flattenFailed),
			DriftedPlacements:        convert.All(cluster.DriftedPlacements, flattenDrifted),
			DiffedPlacements:         convert.All(cluster.DiffedPlacements, flattenDiffed),
		}
	}
	return out
}

func flattenFailed(p domain.FailedPlacement) failedModel {
	return failedModel{Model: identifier.Flatten(p.Identifier), Condition: flattenCondition(p.Condition)}
}

func flattenDrifted(p domain.DriftedPlacement) driftedModel {
	return driftedModel{
		Model: identifier.Flatten(p.Identifier), ObservationTime: p.ObservationTime, FirstDriftedObservedTime: p.FirstObservedTime,
		TargetClusterObservedGeneration: p.TargetClusterObservedGeneration, ObservedDrifts: difference.FlattenPatchDetails(p.ObservedDrifts),
	}
}

func flattenDiffed(p domain.DiffedPlacement) diffedModel {
	return diffedModel{
		Model: identifier.Flatten(p.Identifier), ObservationTime: p.ObservationTime, FirstDiffedObservedTime: p.FirstObservedTime,
		TargetClusterObservedGeneration: p.TargetClusterObservedGeneration, ObservedDiffs: difference.FlattenPatchDetails(p.ObservedDiffs),
	}
}

func flattenConditions(conditions []domain.Condition) map[string]conditionModel {
	out := map[string]conditionModel{}
	for _, c := range conditions {
		out[c.Type] = flattenCondition(c)
	}
	return out
}

func flattenCondition(c domain.Condition) conditionModel {
	return conditionModel{
		Type: c.Type, Status: c.Status, Reason: c.Reason, Message: c.Message, ObservedGeneration: c.ObservedGeneration,
	}
}
