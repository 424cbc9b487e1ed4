package fakekubefleet

import (
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// fromStatus converts a status to the API's type. unfilled are the entries without a cluster.
func fromStatus(s placement.Status, unfilled []wire.PerClusterPlacementStatus) wire.PlacementStatus {
	out := wire.PlacementStatus{ObservedResourceIndex: s.ObservedResourceIndex, Conditions: fromConditions(s.Conditions)}
	for _, id := range s.SelectedResources {
		out.SelectedResources = append(out.SelectedResources, fromIdentifier(id))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Clusters)) {
		out.PlacementStatuses = append(out.PlacementStatuses, fromCluster(name, s.Clusters[name]))
	}
	out.PlacementStatuses = append(out.PlacementStatuses, unfilled...)
	return out
}

func fromCluster(name string, s placement.ClusterStatus) wire.PerClusterPlacementStatus {
	out := wire.PerClusterPlacementStatus{
		ClusterName: name, ObservedResourceIndex: s.ObservedResourceIndex, Conditions: fromConditions(s.Conditions),
		ApplicableClusterResourceOverrides: s.ApplicableClusterResourceOverrides,
	}
	for _, o := range s.ApplicableResourceOverrides {
		out.ApplicableResourceOverrides = append(out.ApplicableResourceOverrides, wire.NamespacedName{Namespace: o.Namespace, Name: o.Name})
	}
	for _, f := range s.FailedPlacements {
		out.FailedPlacements = append(out.FailedPlacements, wire.FailedResourcePlacement{
			ResourceIdentifier: fromIdentifier(f.Identifier), Condition: fromCondition(f.Condition),
		})
	}
	for _, d := range s.DriftedPlacements {
		out.DriftedPlacements = append(out.DriftedPlacements, wire.DriftedResourcePlacement{
			ResourceIdentifier: fromIdentifier(d.Identifier), ObservationTime: parsed(d.ObservationTime),
			FirstDriftedObservedTime: parsed(d.FirstObservedTime), TargetClusterObservedGeneration: d.TargetClusterObservedGeneration,
			ObservedDrifts: fromPatches(d.ObservedDrifts),
		})
	}
	for _, d := range s.DiffedPlacements {
		out.DiffedPlacements = append(out.DiffedPlacements, wire.DiffedResourcePlacement{
			ResourceIdentifier: fromIdentifier(d.Identifier), ObservationTime: parsed(d.ObservationTime),
			FirstDiffedObservedTime: parsed(d.FirstObservedTime), TargetClusterObservedGeneration: new(d.TargetClusterObservedGeneration),
			ObservedDiffs: fromPatches(d.ObservedDiffs),
		})
	}
	return out
}

func fromConditions(list []placement.Condition) []metav1.Condition {
	var out []metav1.Condition
	for _, c := range list {
		out = append(out, fromCondition(c))
	}
	return out
}

// fromCondition does not set the time.
func fromCondition(c placement.Condition) metav1.Condition {
	return metav1.Condition{
		Type: c.Type, Status: metav1.ConditionStatus(c.Status), Reason: c.Reason, Message: c.Message, ObservedGeneration: c.ObservedGeneration,
	}
}

func fromIdentifier(id manifest.Identifier) wire.ResourceIdentifier {
	out := wire.ResourceIdentifier{Group: id.Group, Version: id.Version, Kind: id.Kind, Namespace: id.Namespace, Name: id.Name}
	if e := id.Envelope; e != nil {
		out.Envelope = &wire.EnvelopeIdentifier{Name: e.Name, Namespace: e.Namespace, Type: e.Type}
	}
	return out
}

func fromPatches(list []placement.PatchDetail) []wire.PatchDetail {
	var out []wire.PatchDetail
	for _, p := range list {
		out = append(out, wire.PatchDetail(p))
	}
	return out
}

func parsed(text string) metav1.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return metav1.Time{}
	}
	return metav1.NewTime(at)
}
