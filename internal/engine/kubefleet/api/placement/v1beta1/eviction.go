package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// ClusterResourcePlacementEviction removes a placement from a cluster once. The hub decides about an eviction only when it is created. Hubs serve the kind in
// v1beta1 and v1alpha1, not in v1.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,categories={fleet,fleet-placement},shortName=crpe
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
type ClusterResourcePlacementEviction struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +required
	Spec ClusterResourcePlacementEvictionSpec `json:"spec"`
	// +optional
	Status ClusterResourcePlacementEvictionStatus `json:"status,omitzero"`
}

// ClusterResourcePlacementEvictionSpec names the placement and the cluster.
type ClusterResourcePlacementEvictionSpec struct {
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="The PlacementName field is immutable"
	// +required
	PlacementName string `json:"placementName"`
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="The ClusterName field is immutable"
	// +required
	ClusterName string `json:"clusterName"`
}

// ClusterResourcePlacementEvictionStatus is the result of an eviction. The hub has decided when Valid is False, or when Executed is True or False.
type ClusterResourcePlacementEvictionStatus struct {
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// The condition types of an eviction.
const (
	EvictionValid    = "Valid"
	EvictionExecuted = "Executed"
)

// ClusterResourcePlacementDisruptionBudget limits evictions of the placement of the same name. It is served in v1beta1 and v1alpha1, not in v1.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,categories={fleet,fleet-placement},shortName=crpdb
// +kubebuilder:storageversion
type ClusterResourcePlacementDisruptionBudget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +required
	Spec DisruptionBudgetSpec `json:"spec"`
}

// DisruptionBudgetSpec has one of the two limits, a whole number or a percentage. With PickAll, webhooks reject MaxUnavailable and percentages.
//
// +kubebuilder:validation:XValidation:rule="!has(self.maxUnavailable) || !has(self.minAvailable)",message="Both MaxUnavailable and MinAvailable cannot be specified"
type DisruptionBudgetSpec struct {
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:XValidation:rule="type(self) == string ? self.matches('^(100|[0-9]{1,2})%$') : self >= 0",message="If supplied value is String should match regex '^(100|[0-9]{1,2})%$' or If supplied value is Integer must be greater than or equal to 0"
	// +optional
	MaxUnavailable *intstr.IntOrString `json:"maxUnavailable,omitempty"`
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:XValidation:rule="type(self) == string ? self.matches('^(100|[0-9]{1,2})%$') : self >= 0",message="If supplied value is String should match regex '^(100|[0-9]{1,2})%$' or If supplied value is Integer must be greater than or equal to 0"
	// +optional
	MinAvailable *intstr.IntOrString `json:"minAvailable,omitempty"`
}
