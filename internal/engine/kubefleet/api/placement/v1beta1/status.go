package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// PlacementStatus is the status of a placement. The order of the clusters and of the selected objects is not guaranteed.
type PlacementStatus struct {
	// SelectedResources are the objects of the latest content. An envelope is one object; its contents are not listed.
	//
	// +optional
	SelectedResources []ResourceIdentifier `json:"selectedResources,omitempty"`
	// ObservedResourceIndex is the sequence number of the content, from "0".
	//
	// +optional
	ObservedResourceIndex string `json:"observedResourceIndex,omitempty"`
	// PlacementStatuses has an entry for each picked cluster. For each cluster that the policy requests but that could not be picked, it has an entry without a
	// name.
	//
	// +optional
	PlacementStatuses []PerClusterPlacementStatus `json:"placementStatuses,omitempty"`
	// Conditions have types with the prefix ClusterResourcePlacement or ResourcePlacement. After Scheduled, the list ends with the first condition that is not
	// True.
	//
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// PerClusterPlacementStatus is the state of the placement on one cluster.
type PerClusterPlacementStatus struct {
	// ClusterName is empty for a cluster that could not be picked.
	//
	// +optional
	ClusterName string `json:"clusterName,omitempty"`
	// ObservedResourceIndex is the index of the content that the cluster should have. The cluster may still have older content.
	//
	// +optional
	ObservedResourceIndex string `json:"observedResourceIndex,omitempty"`
	// ApplicableResourceOverrides and ApplicableClusterResourceOverrides have the names of override snapshots. Such a name consists of the name of the
	// override, a hyphen and an index.
	//
	// +optional
	ApplicableResourceOverrides []NamespacedName `json:"applicableResourceOverrides,omitempty"`
	// +optional
	ApplicableClusterResourceOverrides []string `json:"applicableClusterResourceOverrides,omitempty"`
	// +kubebuilder:validation:MaxItems=100
	// +optional
	FailedPlacements []FailedResourcePlacement `json:"failedPlacements,omitempty"`
	// +kubebuilder:validation:MaxItems=100
	// +optional
	DriftedPlacements []DriftedResourcePlacement `json:"driftedPlacements,omitempty"`
	// +kubebuilder:validation:MaxItems=100
	// +optional
	DiffedPlacements []DiffedResourcePlacement `json:"diffedPlacements,omitempty"`
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// ResourceIdentifier names an object.
type ResourceIdentifier struct {
	// +optional
	Group string `json:"group,omitempty"`
	// +required
	Version string `json:"version"`
	// +required
	Kind string `json:"kind"`
	// +required
	Name string `json:"name"`
	// +optional
	Namespace string `json:"namespace,omitempty"`
	// Envelope is the envelope of the object.
	//
	// +optional
	Envelope *EnvelopeIdentifier `json:"envelope,omitempty"`
}

// EnvelopeIdentifier names an envelope.
type EnvelopeIdentifier struct {
	// +required
	Name string `json:"name"`
	// +optional
	Namespace string `json:"namespace,omitempty"`
	// Type cannot be ConfigMap in v1, and has no default there.
	//
	// +kubebuilder:default=ConfigMap
	// +kubebuilder:validation:Enum=ConfigMap;ClusterResourceEnvelope;ResourceEnvelope
	// +optional
	Type string `json:"type,omitempty"`
}

// NamespacedName names an object in a namespace.
type NamespacedName struct {
	// +required
	Name string `json:"name"`
	// +required
	Namespace string `json:"namespace"`
}

// FailedResourcePlacement is an object that is not applied, or not available.
type FailedResourcePlacement struct {
	ResourceIdentifier `json:",inline"`
	// Condition has the type Applied or Available. Its observedGeneration is the generation of the member's object. Its message can be outdated.
	//
	// +required
	Condition metav1.Condition `json:"condition"`
}

// DriftedResourcePlacement is an object that was changed on the member.
type DriftedResourcePlacement struct {
	ResourceIdentifier `json:",inline"`
	// +required
	ObservationTime metav1.Time `json:"observationTime"`
	// +required
	TargetClusterObservedGeneration int64 `json:"targetClusterObservedGeneration"`
	// +required
	FirstDriftedObservedTime metav1.Time `json:"firstDriftedObservedTime"`
	// +optional
	ObservedDrifts []PatchDetail `json:"observedDrifts,omitempty"`
}

// DiffedResourcePlacement is an object on a member that differs from the placed one.
type DiffedResourcePlacement struct {
	ResourceIdentifier `json:",inline"`
	// +required
	ObservationTime metav1.Time `json:"observationTime"`
	// TargetClusterObservedGeneration is nil if the member does not have the object.
	//
	// +optional
	TargetClusterObservedGeneration *int64 `json:"targetClusterObservedGeneration,omitempty"`
	// +required
	FirstDiffedObservedTime metav1.Time `json:"firstDiffedObservedTime"`
	// +optional
	ObservedDiffs []PatchDetail `json:"observedDiffs,omitempty"`
}

// PatchDetail is one difference. A value is empty if the object does not have the field.
type PatchDetail struct {
	// +required
	Path string `json:"path"`
	// +optional
	ValueInMember string `json:"valueInMember,omitempty"`
	// +optional
	ValueInHub string `json:"valueInHub,omitempty"`
}
