// Package v1beta1 has the fields of the API group placement.kubernetes-fleet.io that the provider reads and writes, in the version that
// KubeFleet stores.
//
// Fields that were left out are zero and are not written; an empty list that was written is kept apart from one that was left out. The
// markers are those of the published definitions: the definitions of the tests are generated from them. Values of enumerations are plain
// texts here, their types are in internal/fleet.
//
// Users write placements, envelopes, overrides, evictions, budgets and staged updates. Snapshots, bindings and Works are the hub's own: the
// provider only reads them, and of a Work hardly more than that it is there.
//
// +groupName=placement.kubernetes-fleet.io
package v1beta1

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/kubefleetapi"
)

// GroupVersion is the group and version of the package.
var GroupVersion = schema.GroupVersion{Group: kubefleetapi.PlacementGroup, Version: "v1beta1"}

// The kinds of the group, those that users write first.
const (
	ClusterResourcePlacementKind = "ClusterResourcePlacement"
	ResourcePlacementKind        = "ResourcePlacement"
	ClusterResourceEnvelopeKind  = "ClusterResourceEnvelope"
	ResourceEnvelopeKind         = "ResourceEnvelope"
	ClusterResourceOverrideKind  = "ClusterResourceOverride"
	ResourceOverrideKind         = "ResourceOverride"

	ClusterResourcePlacementEvictionKind         = "ClusterResourcePlacementEviction"
	ClusterResourcePlacementDisruptionBudgetKind = "ClusterResourcePlacementDisruptionBudget"
	ClusterStagedUpdateStrategyKind              = "ClusterStagedUpdateStrategy"
	ClusterStagedUpdateRunKind                   = "ClusterStagedUpdateRun"
	ClusterApprovalRequestKind                   = "ClusterApprovalRequest"
	StagedUpdateStrategyKind                     = "StagedUpdateStrategy"
	StagedUpdateRunKind                          = "StagedUpdateRun"
	ApprovalRequestKind                          = "ApprovalRequest"

	ClusterSchedulingPolicySnapshotKind = "ClusterSchedulingPolicySnapshot"
	SchedulingPolicySnapshotKind        = "SchedulingPolicySnapshot"
	ClusterResourceSnapshotKind         = "ClusterResourceSnapshot"
	ResourceSnapshotKind                = "ResourceSnapshot"
	ClusterResourceOverrideSnapshotKind = "ClusterResourceOverrideSnapshot"
	ResourceOverrideSnapshotKind        = "ResourceOverrideSnapshot"
	ClusterResourceBindingKind          = "ClusterResourceBinding"
	ResourceBindingKind                 = "ResourceBinding"
	WorkKind                            = "Work"
)

// Labels and annotations of the hub's own objects.
const (
	// PlacementLabel names the placement that a snapshot, binding or Work belongs to, a ResourcePlacement, too.
	PlacementLabel = kubefleetapi.Prefix + "parent-CRP"
	// PlacementNamespaceLabel is the namespace of the ResourcePlacement that a Work belongs to.
	PlacementNamespaceLabel = kubefleetapi.Prefix + "parent-placement-namespace"
	// EnvelopeTypeLabel, EnvelopeNameLabel and EnvelopeNamespaceLabel tell of a Work which envelope its objects come in.
	EnvelopeTypeLabel      = kubefleetapi.Prefix + "envelope-work"
	EnvelopeNameLabel      = kubefleetapi.Prefix + "envelope-name"
	EnvelopeNamespaceLabel = kubefleetapi.Prefix + "envelope-namespace"
	// OverrideLabel names the override that a snapshot is of.
	OverrideLabel = kubefleetapi.Prefix + "parent-resource-override"
	// OverrideIndexLabel counts the snapshots of an override.
	OverrideIndexLabel = kubefleetapi.Prefix + "override-index"
	// LatestSnapshotLabel is "true" on the snapshot that is in force.
	LatestSnapshotLabel = kubefleetapi.Prefix + "is-latest-snapshot"
	// ResourceIndexLabel is the index of a resource snapshot, as the status of a placement has it.
	ResourceIndexLabel = kubefleetapi.Prefix + "resource-index"
	// PolicyIndexLabel is the index of a policy snapshot.
	PolicyIndexLabel = kubefleetapi.Prefix + "policy-index"
	// NumberOfSnapshotsAnnotation is on the first snapshot of a content, and says in how many it is.
	NumberOfSnapshotsAnnotation = kubefleetapi.Prefix + "number-of-resource-snapshots"
	// NumberOfClustersAnnotation is on a policy snapshot of type PickN: the policy in it leaves the number out.
	NumberOfClustersAnnotation = kubefleetapi.Prefix + "number-of-clusters"
	// GenerationAnnotation is the generation of the placement that a policy snapshot is of.
	GenerationAnnotation = kubefleetapi.Prefix + "CRP-generation"
)
