package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
)

// ClusterResourcePlacement specifies which objects of the hub are placed on which members, and how.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,categories={fleet,fleet-placement},shortName=crp
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Gen",type=string,JSONPath=`.metadata.generation`
// +kubebuilder:printcolumn:name="Scheduled",type=string,JSONPath=`.status.conditions[?(@.type=="ClusterResourcePlacementScheduled")].status`
// +kubebuilder:printcolumn:name="Available",type=string,JSONPath=`.status.conditions[?(@.type=="ClusterResourcePlacementAvailable")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type ClusterResourcePlacement struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +kubebuilder:validation:XValidation:rule="has(self.policy) || !has(oldSelf.policy)",message="policy cannot be removed once set"
	// +kubebuilder:validation:XValidation:rule="self.statusReportingScope != 'NamespaceAccessible' || size(self.resourceSelectors.filter(s, s.kind == 'Namespace')) == 1",message="when statusReportingScope is NamespaceAccessible, exactly one resourceSelector with kind 'Namespace' is required"
	// +kubebuilder:validation:XValidation:rule="!has(oldSelf.statusReportingScope) || self.statusReportingScope == oldSelf.statusReportingScope",message="statusReportingScope is immutable"
	// +required
	Spec PlacementSpec `json:"spec"`
	// +optional
	Status v1beta1.PlacementStatus `json:"status,omitzero"`
}

// ResourcePlacement specifies which objects of its own namespace on the hub are placed on which members, and how. The condition types of its status begin
// with ResourcePlacement. The namespace itself is not placed.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Namespaced,categories={fleet,fleet-placement},shortName=rp
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Gen",type=string,JSONPath=`.metadata.generation`
// +kubebuilder:printcolumn:name="Scheduled",type=string,JSONPath=`.status.conditions[?(@.type=="ResourcePlacementScheduled")].status`
// +kubebuilder:printcolumn:name="Available",type=string,JSONPath=`.status.conditions[?(@.type=="ResourcePlacementAvailable")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type ResourcePlacement struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +kubebuilder:validation:XValidation:rule="has(self.policy) || !has(oldSelf.policy)",message="policy cannot be removed once set"
	// +required
	Spec PlacementSpec `json:"spec"`
	// +optional
	Status v1beta1.PlacementStatus `json:"status,omitzero"`
}

// PlacementSpec is the spec of both kinds of placements.
//
// +kubebuilder:validation:XValidation:rule="size(self.resourceSelectors.filter(s, size(s.group) == 0 && s.version == 'v1' && s.kind == 'Namespace' && has(s.selectionScope) && s.selectionScope == 'NamespaceWithResourceSelectors')) <= 1",message="only one namespace selector with NamespaceWithResourceSelectors mode is allowed"
// +kubebuilder:validation:XValidation:rule="self.resourceSelectors.all(s, !(size(s.group) == 0 && s.version == 'v1' && s.kind == 'Namespace' && has(s.selectionScope) && s.selectionScope == 'NamespaceWithResourceSelectors') || (has(s.name) && size(s.name) > 0 && !has(s.labelSelector)))",message="namespace selector with NamespaceWithResourceSelectors mode must select by name (not by label)"
// +kubebuilder:validation:XValidation:rule="!self.resourceSelectors.exists(s, size(s.group) == 0 && s.version == 'v1' && s.kind == 'Namespace' && has(s.selectionScope) && s.selectionScope == 'NamespaceWithResourceSelectors') || size(self.resourceSelectors.filter(s, size(s.group) == 0 && s.version == 'v1' && s.kind == 'Namespace')) == 1",message="when using NamespaceWithResourceSelectors mode, only one namespace selector is allowed (cannot mix with other namespace selectors)"
type PlacementSpec struct {
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:XValidation:rule="self.all(s, !has(s.labelSelector) || !has(s.name) || size(s.name) == 0)",message="name and labelSelector are mutually exclusive in a resource selector"
	// +required
	ResourceSelectors []v1beta1.ResourceSelector `json:"resourceSelectors"`
	// +kubebuilder:validation:XValidation:rule="self.placementType == oldSelf.placementType",message="placement type is immutable"
	// +kubebuilder:validation:XValidation:rule="self.placementType != 'PickFixed' || !(has(self.affinity) || has(self.numberOfClusters) || has(self.topologySpreadConstraints) || has(self.tolerations))",message="affinity, numberOfClusters, topologySpreadConstraints, and tolerations cannot be set when placementType is PickFixed"
	// +kubebuilder:validation:XValidation:rule="self.placementType != 'PickAll' || !(has(self.clusterNames) || has(self.numberOfClusters) || has(self.topologySpreadConstraints))",message="clusterNames, numberOfClusters, and topologySpreadConstraints cannot be set when placementType is PickAll"
	// +kubebuilder:validation:XValidation:rule="self.placementType != 'PickN' || (has(self.numberOfClusters) && !has(self.clusterNames))",message="clusterNames cannot be set and numberOfClusters must be set when placementType is PickN"
	// +optional
	Policy *v1beta1.PlacementPolicy `json:"policy,omitempty"`
	// +optional
	Strategy *RolloutStrategy `json:"strategy,omitempty"`
	// +kubebuilder:default=10
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	// +optional
	RevisionHistoryLimit *int32 `json:"revisionHistoryLimit,omitempty"`
	// +kubebuilder:default=ClusterScopeOnly
	// +kubebuilder:validation:Enum=ClusterScopeOnly;NamespaceAccessible
	// +optional
	StatusReportingScope string `json:"statusReportingScope,omitempty"`
}

// RolloutStrategy has neither deleteStrategy nor reportBackStrategy.
type RolloutStrategy struct {
	// +kubebuilder:default=RollingUpdate
	// +kubebuilder:validation:Enum=RollingUpdate;External
	// +kubebuilder:validation:XValidation:rule="self == 'External' || oldSelf != 'External'",message="cannot change rollout strategy type from 'External' to other types"
	// +optional
	Type string `json:"type,omitempty"`
	// +optional
	RollingUpdate *v1beta1.RollingUpdateConfig `json:"rollingUpdate,omitempty"`
	// +optional
	ApplyStrategy *v1beta1.ApplyStrategy `json:"applyStrategy,omitempty"`
}
