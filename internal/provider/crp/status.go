package crp

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

type statusModel struct {
	ObservedResourceIndex string                    `tfsdk:"observed_resource_index"`
	HubUID                string                    `tfsdk:"hub_uid"`
	Conditions            map[string]conditionModel `tfsdk:"conditions"`
	SelectedResources     []identifierModel         `tfsdk:"selected_resources"`
	PlacementStatuses     map[string]clusterModel   `tfsdk:"placement_statuses"`
}

type clusterModel struct {
	ClusterName           string                    `tfsdk:"cluster_name"`
	ClusterUID            string                    `tfsdk:"cluster_uid"`
	ObservedResourceIndex string                    `tfsdk:"observed_resource_index"`
	Conditions            map[string]conditionModel `tfsdk:"conditions"`
	FailedPlacements      []failedModel             `tfsdk:"failed_placements"`
	DriftedPlacements     []driftedModel            `tfsdk:"drifted_placements"`
	DiffedPlacements      []diffedModel             `tfsdk:"diffed_placements"`
}

type conditionModel struct {
	Type               string `tfsdk:"type"`
	Status             string `tfsdk:"status"`
	Reason             string `tfsdk:"reason"`
	Message            string `tfsdk:"message"`
	ObservedGeneration int64  `tfsdk:"observed_generation"`
}

type identifierModel struct {
	Group     string         `tfsdk:"group"`
	Version   string         `tfsdk:"version"`
	Kind      string         `tfsdk:"kind"`
	Namespace string         `tfsdk:"namespace"`
	Name      string         `tfsdk:"name"`
	Envelope  *envelopeModel `tfsdk:"envelope"`
}

type envelopeModel struct {
	Name      string `tfsdk:"name"`
	Namespace string `tfsdk:"namespace"`
	Type      string `tfsdk:"type"`
}

type failedModel struct {
	Group     string         `tfsdk:"group"`
	Version   string         `tfsdk:"version"`
	Kind      string         `tfsdk:"kind"`
	Namespace string         `tfsdk:"namespace"`
	Name      string         `tfsdk:"name"`
	Envelope  *envelopeModel `tfsdk:"envelope"`
	Condition conditionModel `tfsdk:"condition"`
}

type driftedModel struct {
	Group     string         `tfsdk:"group"`
	Version   string         `tfsdk:"version"`
	Kind      string         `tfsdk:"kind"`
	Namespace string         `tfsdk:"namespace"`
	Name      string         `tfsdk:"name"`
	Envelope  *envelopeModel `tfsdk:"envelope"`

	ObservationTime                 string       `tfsdk:"observation_time"`
	FirstDriftedObservedTime        string       `tfsdk:"first_drifted_observed_time"`
	TargetClusterObservedGeneration int64        `tfsdk:"target_cluster_observed_generation"`
	ObservedDrifts                  []patchModel `tfsdk:"observed_drifts"`
}

type diffedModel struct {
	Group     string         `tfsdk:"group"`
	Version   string         `tfsdk:"version"`
	Kind      string         `tfsdk:"kind"`
	Namespace string         `tfsdk:"namespace"`
	Name      string         `tfsdk:"name"`
	Envelope  *envelopeModel `tfsdk:"envelope"`

	ObservationTime                 string       `tfsdk:"observation_time"`
	FirstDiffedObservedTime         string       `tfsdk:"first_diffed_observed_time"`
	TargetClusterObservedGeneration int64        `tfsdk:"target_cluster_observed_generation"`
	ObservedDiffs                   []patchModel `tfsdk:"observed_diffs"`
}

type patchModel struct {
	Path          string `tfsdk:"path"`
	ValueInMember string `tfsdk:"value_in_member"`
	ValueInHub    string `tfsdk:"value_in_hub"`
}

// setStatus puts a status into the model.
func (m *model) setStatus(ctx context.Context, status placement.Status, diags *diag.Diagnostics) {
	out := statusModel{
		ObservedResourceIndex: status.ObservedResourceIndex, HubUID: status.HubUID,
		Conditions:        flattenConditions(status.Conditions),
		SelectedResources: each(status.SelectedResources, flattenIdentifier),
		PlacementStatuses: map[string]clusterModel{},
	}
	if out.SelectedResources == nil {
		out.SelectedResources = []identifierModel{}
	}
	for name, cluster := range status.Clusters {
		flat := clusterModel{
			ClusterName: name, ClusterUID: cluster.ClusterUID, ObservedResourceIndex: cluster.ObservedResourceIndex,
			Conditions: flattenConditions(cluster.Conditions), FailedPlacements: []failedModel{},
			DriftedPlacements: list(cluster.DriftedPlacements, flattenDrifted), DiffedPlacements: list(cluster.DiffedPlacements, flattenDiffed),
		}
		for _, failed := range cluster.FailedPlacements {
			id := flattenIdentifier(failed.Identifier)
			flat.FailedPlacements = append(flat.FailedPlacements, failedModel{
				Group: id.Group, Version: id.Version, Kind: id.Kind, Namespace: id.Namespace, Name: id.Name, Envelope: id.Envelope,
				Condition: conditionModel(failed.Condition),
			})
		}
		out.PlacementStatuses[name] = flat
	}
	var d diag.Diagnostics
	m.Status, d = types.ObjectValueFrom(ctx, attributeTypes(ctx, "status"), out)
	diags.Append(d...)
}

// status reads the status back; nil if there is none yet.
func (m *model) status(ctx context.Context, diags *diag.Diagnostics) *placement.Status {
	if m.Status.IsNull() || m.Status.IsUnknown() {
		return nil
	}
	var in statusModel
	diags.Append(m.Status.As(ctx, &in, basetypes.ObjectAsOptions{})...)
	out := &placement.Status{
		ObservedResourceIndex: in.ObservedResourceIndex, HubUID: in.HubUID, Conditions: expandConditions(in.Conditions),
		Clusters: map[string]placement.ClusterStatus{},
	}
	for _, id := range in.SelectedResources {
		out.SelectedResources = append(out.SelectedResources, id.expand())
	}
	for name, cluster := range in.PlacementStatuses {
		status := placement.ClusterStatus{
			ClusterUID: cluster.ClusterUID, ObservedResourceIndex: cluster.ObservedResourceIndex, Conditions: expandConditions(cluster.Conditions),
			DriftedPlacements: each(cluster.DriftedPlacements, driftedModel.expand), DiffedPlacements: each(cluster.DiffedPlacements, diffedModel.expand),
		}
		for _, f := range cluster.FailedPlacements {
			id := identifierModel{Group: f.Group, Version: f.Version, Kind: f.Kind, Namespace: f.Namespace, Name: f.Name, Envelope: f.Envelope}
			status.FailedPlacements = append(status.FailedPlacements, placement.FailedPlacement{
				Identifier: id.expand(), Condition: placement.Condition(f.Condition),
			})
		}
		out.Clusters[name] = status
	}
	return out
}

// list is each, and never null.
func list[A, B any](in []A, convert func(A) B) []B {
	if out := each(in, convert); out != nil {
		return out
	}
	return []B{}
}

func flattenDrifted(p placement.DriftedPlacement) driftedModel {
	id := flattenIdentifier(p.Identifier)
	return driftedModel{
		Group: id.Group, Version: id.Version, Kind: id.Kind, Namespace: id.Namespace, Name: id.Name, Envelope: id.Envelope,
		ObservationTime: p.ObservationTime, FirstDriftedObservedTime: p.FirstObservedTime,
		TargetClusterObservedGeneration: p.TargetClusterObservedGeneration, ObservedDrifts: list(p.ObservedDrifts, flattenPatch),
	}
}

func (m driftedModel) expand() placement.DriftedPlacement {
	id := identifierModel{Group: m.Group, Version: m.Version, Kind: m.Kind, Namespace: m.Namespace, Name: m.Name, Envelope: m.Envelope}
	return placement.DriftedPlacement{
		Identifier: id.expand(), ObservedDrifts: each(m.ObservedDrifts, patchModel.expand), Observation: placement.Observation{
			ObservationTime: m.ObservationTime, FirstObservedTime: m.FirstDriftedObservedTime,
			TargetClusterObservedGeneration: m.TargetClusterObservedGeneration,
		},
	}
}

func flattenDiffed(p placement.DiffedPlacement) diffedModel {
	id := flattenIdentifier(p.Identifier)
	return diffedModel{
		Group: id.Group, Version: id.Version, Kind: id.Kind, Namespace: id.Namespace, Name: id.Name, Envelope: id.Envelope,
		ObservationTime: p.ObservationTime, FirstDiffedObservedTime: p.FirstObservedTime,
		TargetClusterObservedGeneration: p.TargetClusterObservedGeneration, ObservedDiffs: list(p.ObservedDiffs, flattenPatch),
	}
}

func (m diffedModel) expand() placement.DiffedPlacement {
	id := identifierModel{Group: m.Group, Version: m.Version, Kind: m.Kind, Namespace: m.Namespace, Name: m.Name, Envelope: m.Envelope}
	return placement.DiffedPlacement{
		Identifier: id.expand(), ObservedDiffs: each(m.ObservedDiffs, patchModel.expand), Observation: placement.Observation{
			ObservationTime: m.ObservationTime, FirstObservedTime: m.FirstDiffedObservedTime,
			TargetClusterObservedGeneration: m.TargetClusterObservedGeneration,
		},
	}
}

func flattenPatch(p placement.PatchDetail) patchModel { return patchModel(p) }

func (m patchModel) expand() placement.PatchDetail { return placement.PatchDetail(m) }

func flattenConditions(conditions []placement.Condition) map[string]conditionModel {
	out := map[string]conditionModel{}
	for _, c := range conditions {
		out[c.Type] = conditionModel(c)
	}
	return out
}

func expandConditions(conditions map[string]conditionModel) []placement.Condition {
	var out []placement.Condition
	for _, c := range conditions {
		out = append(out, placement.Condition(c))
	}
	return out
}

func flattenIdentifier(id manifest.Identifier) identifierModel {
	out := identifierModel{Group: id.Group, Version: id.Version, Kind: id.Kind, Namespace: id.Namespace, Name: id.Name}
	if id.Envelope != nil {
		out.Envelope = new(envelopeModel(*id.Envelope))
	}
	return out
}

func (m identifierModel) expand() manifest.Identifier {
	out := manifest.Identifier{Group: m.Group, Version: m.Version, Kind: m.Kind, Namespace: m.Namespace, Name: m.Name}
	if m.Envelope != nil {
		out.Envelope = new(manifest.Envelope(*m.Envelope))
	}
	return out
}
