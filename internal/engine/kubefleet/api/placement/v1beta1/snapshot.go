package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ClusterSchedulingPolicySnapshot is the policy of a ClusterResourcePlacement as it was, with what the scheduler made of it.
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
	// PolicyHash is a sum of the policy in base 64.
	//
	// +required
	PolicyHash []byte `json:"policyHash"`
}

// SchedulingPolicySnapshotStatus is what the scheduler has decided.
type SchedulingPolicySnapshotStatus struct {
	// ObservedCRPGeneration is the generation of the placement that was decided about.
	//
	// +required
	ObservedCRPGeneration int64 `json:"observedCRPGeneration"`
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// ClusterDecisions are 1000 at most. Those that were not selected have the names that the placement's status leaves out.
	//
	// +kubebuilder:validation:MaxItems=1000
	// +optional
	ClusterDecisions []ClusterDecision `json:"targetClusters,omitempty"`
}

// ClusterResourceSnapshot is a content of a ClusterResourcePlacement, or a part of a large one.
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

// ResourceSnapshotSpec has the objects as they are placed: cleaned, envelopes closed.
type ResourceSnapshotSpec struct {
	// +required
	SelectedResources []EmbeddedManifest `json:"selectedResources"`
}

// ResourceSnapshotStatus is hardly used by hubs.
type ResourceSnapshotStatus struct {
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}
