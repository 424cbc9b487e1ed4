// Package v1beta1 has the fields of the API group placement.kubernetes-fleet.io that the provider reads and writes, in the version that
// KubeFleet stores.
//
// Optional fields are not written if they are zero. For some lists, an explicit empty list differs from an absent one. The markers are those of the published
// CustomResourceDefinitions, because the CustomResourceDefinitions of the tests are generated from them. Values of enumerations are plain strings here; their
// types are in internal/fleet.
//
// Users write placements, envelopes, overrides, evictions, budgets and staged updates. The hub writes snapshots, bindings and Works, and member agents write
// AppliedWorks on the members. The provider only reads these objects. The hub also creates approval requests, and the provider sets their condition Approved.
//
// +groupName=placement.kubernetes-fleet.io
package v1beta1

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/kubefleetapi"
)

// GroupVersion is the group and version of the package.
var GroupVersion = schema.GroupVersion{Group: kubefleetapi.PlacementGroup, Version: "v1beta1"}

// The kinds of the group. The kinds that users write come first.
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
	// PlacementLabel names the placement, of either scope, that a snapshot, binding or Work belongs to.
	PlacementLabel = kubefleetapi.Prefix + "parent-CRP"
	// PlacementNamespaceLabel is the namespace of the ResourcePlacement that a Work belongs to.
	PlacementNamespaceLabel = kubefleetapi.Prefix + "parent-placement-namespace"
	// EnvelopeTypeLabel, EnvelopeNameLabel and EnvelopeNamespaceLabel identify the envelope of the objects of a Work.
	EnvelopeTypeLabel      = kubefleetapi.Prefix + "envelope-work"
	EnvelopeNameLabel      = kubefleetapi.Prefix + "envelope-name"
	EnvelopeNamespaceLabel = kubefleetapi.Prefix + "envelope-namespace"
	// OverrideLabel names the override of a snapshot.
	OverrideLabel = kubefleetapi.Prefix + "parent-resource-override"
	// OverrideIndexLabel is the sequence number of a snapshot of an override.
	OverrideIndexLabel = kubefleetapi.Prefix + "override-index"
	// LatestSnapshotLabel is "true" on the latest snapshot.
	LatestSnapshotLabel = kubefleetapi.Prefix + "is-latest-snapshot"
	// ResourceIndexLabel is the index of a resource snapshot, as in the status of a placement.
	ResourceIndexLabel = kubefleetapi.Prefix + "resource-index"
	// PolicyIndexLabel is the index of a policy snapshot.
	PolicyIndexLabel = kubefleetapi.Prefix + "policy-index"
	// NumberOfSnapshotsAnnotation is an annotation of the first snapshot of a content. It has the number of snapshots of this content.
	NumberOfSnapshotsAnnotation = kubefleetapi.Prefix + "number-of-resource-snapshots"
	// NumberOfClustersAnnotation is an annotation of a policy snapshot of type PickN. It has the number of clusters, because the policy in the snapshot has no
	// number.
	NumberOfClustersAnnotation = kubefleetapi.Prefix + "number-of-clusters"
	// GenerationAnnotation is the generation of the placement from which the hub created a policy snapshot.
	GenerationAnnotation = kubefleetapi.Prefix + "CRP-generation"
)
