package convert

import (
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// PlacementStatus decodes the status of a placement of either scope. It omits the values of a Secret, and messages that may quote them. A status can refer to
// an earlier generation or content, messages can be outdated, and a condition of the placement is Unknown if it is Unknown for one cluster and False for
// another.
//
// A hub reports clusters that it could not pick without their names. For a policy of type PickFixed, PlacementStatus assigns these clusters to the names in the
// policy that have no entry in the status. For other policies, it counts these clusters and collects their conditions. policy is the policy of the same
// placement.
func PlacementStatus(s v1beta1.PlacementStatus, policy *v1beta1.PlacementPolicy) placement.Status {
	out := placement.Status{
		ObservedResourceIndex: s.ObservedResourceIndex,
		Conditions:            conditions(s.Conditions),
		SelectedResources:     each(s.SelectedResources, Identifier),
		Clusters:              map[string]placement.ClusterStatus{},
	}
	var unnamed []placement.ClusterStatus
	for _, entry := range s.PlacementStatuses {
		status := clusterStatus(entry)
		if entry.ClusterName == "" {
			unnamed = append(unnamed, status)
			continue
		}
		out.Clusters[entry.ClusterName] = status
	}
	for _, name := range missing(policy, out.Clusters) {
		if len(unnamed) == 0 {
			break
		}
		i := max(0, slices.IndexFunc(unnamed, func(s placement.ClusterStatus) bool { return about(s, name) }))
		out.Clusters[name] = unnamed[i]
		unnamed = slices.Delete(unnamed, i, i+1)
	}
	out.Unfilled = len(unnamed)
	for _, status := range unnamed {
		out.UnfilledConditions = append(out.UnfilledConditions, status.Conditions...)
	}
	return out
}

// missing returns the cluster names in a policy of type PickFixed for which clusters has no entry. It returns nil for any other policy.
func missing(policy *v1beta1.PlacementPolicy, clusters map[string]placement.ClusterStatus) []string {
	if policy == nil || policy.PlacementType != string(placement.PickFixed) {
		return nil
	}
	var out []string
	for _, name := range policy.ClusterNames {
		if _, found := clusters[name]; !found && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// about reports whether a status without a cluster name has a message that names the cluster.
func about(status placement.ClusterStatus, name string) bool {
	return slices.ContainsFunc(status.Conditions, func(c placement.Condition) bool { return strings.Contains(c.Message, strconv.Quote(name)) })
}

func clusterStatus(s v1beta1.PerClusterPlacementStatus) placement.ClusterStatus {
	return placement.ClusterStatus{
		ObservedResourceIndex:              s.ObservedResourceIndex,
		ApplicableClusterResourceOverrides: slices.Clone(s.ApplicableClusterResourceOverrides),
		ApplicableResourceOverrides: each(s.ApplicableResourceOverrides, func(n v1beta1.NamespacedName) placement.NamespacedName {
			return placement.NamespacedName{Namespace: n.Namespace, Name: n.Name}
		}),
		Conditions: conditions(s.Conditions),
		FailedPlacements: each(s.FailedPlacements, func(p v1beta1.FailedResourcePlacement) placement.FailedPlacement {
			return failure(Identifier(p.ResourceIdentifier), condition(p.Condition))
		}),
		DriftedPlacements: each(s.DriftedPlacements, func(p v1beta1.DriftedResourcePlacement) placement.DriftedPlacement {
			return placement.DriftedPlacement{
				Identifier:     Identifier(p.ResourceIdentifier),
				Observation:    observation(p.ObservationTime, p.FirstDriftedObservedTime, &p.TargetClusterObservedGeneration),
				ObservedDrifts: differences(Identifier(p.ResourceIdentifier), each(p.ObservedDrifts, patchDetail)),
			}
		}),
		DiffedPlacements: each(s.DiffedPlacements, func(p v1beta1.DiffedResourcePlacement) placement.DiffedPlacement {
			return placement.DiffedPlacement{
				Identifier:    Identifier(p.ResourceIdentifier),
				Observation:   observation(p.ObservationTime, p.FirstDiffedObservedTime, p.TargetClusterObservedGeneration),
				ObservedDiffs: differences(Identifier(p.ResourceIdentifier), each(p.ObservedDiffs, patchDetail)),
			}
		}),
	}
}

func conditions(in []metav1.Condition) []placement.Condition { return each(in, condition) }

func condition(c metav1.Condition) placement.Condition {
	return placement.Condition{
		Type: c.Type, Status: string(c.Status), Reason: c.Reason, Message: c.Message, ObservedGeneration: c.ObservedGeneration,
	}
}

// Identifier returns the identifier of an object in a status.
func Identifier(id v1beta1.ResourceIdentifier) manifest.Identifier {
	return manifest.Identifier{
		Group: id.Group, Version: id.Version, Kind: id.Kind, Namespace: id.Namespace, Name: id.Name,
		Envelope: maybe(id.Envelope, func(e v1beta1.EnvelopeIdentifier) manifest.Envelope {
			return manifest.Envelope{Name: e.Name, Namespace: e.Namespace, Type: e.Type}
		}),
	}
}

func observation(at, first metav1.Time, generation *int64) placement.Observation {
	out := placement.Observation{ObservationTime: timestamp(at), FirstObservedTime: timestamp(first)}
	if generation != nil {
		out.TargetClusterObservedGeneration = *generation
	}
	return out
}

func patchDetail(p v1beta1.PatchDetail) placement.PatchDetail { return placement.PatchDetail(p) }
