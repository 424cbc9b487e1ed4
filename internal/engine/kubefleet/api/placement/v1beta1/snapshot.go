package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ClusterSchedulingPolicySnapshot is a copy of the policy of a ClusterResourcePlacement, with the decisions of the scheduler.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,categories={fleet,fleet-placement},shortName=csps
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
type ClusterSchedulingPolicySnapshot struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +required
	Spec SchedulingPolicySnapshotSpec `json:"spec"`
	// +optional
	Status SchedulingPolicySnapshotStatus `json:"status,omitzero"`
}

// SchedulingPolicySnapshotSpec has the policy without the number of clusters, which is an annotation.
type SchedulingPolicySnapshotSpec struct {
	// +optional
	Policy *PlacementPolicy `json:"policy,omitempty"`
	// PolicyHash is a hash of the policy, encoded in Base64.
	//
	// +required
	PolicyHash []byte `json:"policyHash"`
}

// SchedulingPolicySnapshotStatus has the decisions of the scheduler.
type SchedulingPolicySnapshotStatus struct {
	// ObservedCRPGeneration is the generation of the placement about which the scheduler decided.
	//
	// +required
	ObservedCRPGeneration int64 `json:"observedCRPGeneration"`
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// ClusterDecisions has at most 1000 entries. Unlike the status of the placement, it also names clusters that were not picked.
	//
	// +kubebuilder:validation:MaxItems=1000
	// +optional
	ClusterDecisions []ClusterDecision `json:"targetClusters,omitempty"`
}

// ClusterResourceSnapshot is the content of a ClusterResourcePlacement, or a part of a large content.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,categories={fleet,fleet-placement},shortName=crs
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
type ClusterResourceSnapshot struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +required
	Spec ResourceSnapshotSpec `json:"spec"`
	// +optional
	Status ResourceSnapshotStatus `json:"status,omitzero"`
}

// ResourceSnapshotSpec has the objects as they are placed, without fields that the API server sets. An envelope is one object; its contents are not
// extracted.
type ResourceSnapshotSpec struct {
	// +required
	SelectedResources []EmbeddedManifest `json:"selectedResources"`
}

// ResourceSnapshotStatus is rarely set by hubs.
type ResourceSnapshotStatus struct {
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}
