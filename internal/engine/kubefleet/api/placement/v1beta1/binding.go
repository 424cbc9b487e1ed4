package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ClusterResourceBinding ties a ClusterResourcePlacement to a cluster.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,categories={fleet,fleet-placement},shortName=crb
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
type ClusterResourceBinding struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +required
	Spec ResourceBindingSpec `json:"spec"`
	// +optional
	Status ResourceBindingStatus `json:"status,omitzero"`
}

// ResourceBindingSpec is what the scheduler and the rollout have decided.
type ResourceBindingSpec struct {
	// State is one of the BindingState constants. A cluster that is picked no longer is Unscheduled until it is cleaned up.
	//
	// +required
	State string `json:"state"`
	// ResourceSnapshotName is the content that the cluster is to have; empty until the rollout comes to it.
	//
	// +required
	ResourceSnapshotName string `json:"resourceSnapshotName"`
	// +optional
	ResourceOverrideSnapshots []NamespacedName `json:"resourceOverrideSnapshots,omitempty"`
	// +optional
	ClusterResourceOverrideSnapshots []string `json:"clusterResourceOverrideSnapshots,omitempty"`
	// +required
	SchedulingPolicySnapshotName string `json:"schedulingPolicySnapshotName"`
	// +required
	TargetCluster string `json:"targetCluster"`
	// +required
	ClusterDecision ClusterDecision `json:"clusterDecision"`
	// +optional
	ApplyStrategy *ApplyStrategy `json:"applyStrategy,omitempty"`
}

// The states of a binding.
const (
	BindingStateScheduled   = "Scheduled"
	BindingStateBound       = "Bound"
	BindingStateUnscheduled = "Unscheduled"
)

// ClusterDecision is why a cluster was picked, or why not.
type ClusterDecision struct {
	// +required
	ClusterName string `json:"clusterName"`
	// +required
	Selected bool `json:"selected"`
	// +optional
	ClusterScore *ClusterScore `json:"clusterScore,omitempty"`
	// +required
	Reason string `json:"reason"`
}

// ClusterScore is what the cluster was ranked by.
type ClusterScore struct {
	// +optional
	AffinityScore *int32 `json:"affinityScore,omitempty"`
	// TopologySpreadScore has another name on the wire.
	//
	// +optional
	TopologySpreadScore *int32 `json:"priorityScore,omitempty"`
}

// ResourceBindingStatus is what has come of it on the cluster.
type ResourceBindingStatus struct {
	// +kubebuilder:validation:MaxItems=100
	// +optional
	FailedPlacements []FailedResourcePlacement `json:"failedPlacements,omitempty"`
	// +kubebuilder:validation:MaxItems=100
	// +optional
	DriftedPlacements []DriftedResourcePlacement `json:"driftedPlacements,omitempty"`
	// +kubebuilder:validation:MaxItems=100
	// +optional
	DiffedPlacements []DiffedResourcePlacement `json:"diffedPlacements,omitempty"`
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}
