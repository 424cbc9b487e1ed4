package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ClusterResourceBinding binds a ClusterResourcePlacement to a cluster.
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

// ResourceBindingSpec has the decisions of the scheduler and of the rollout.
type ResourceBindingSpec struct {
	// State is one of the BindingState constants. The binding of a cluster that is no longer picked is Unscheduled until the objects on the cluster are deleted.
	//
	// +required
	State string `json:"state"`
	// ResourceSnapshotName is the name of the resource snapshot that has the content for the cluster. It is empty until the rollout reaches the cluster.
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

// ClusterDecision is the reason why a cluster was picked, or was not.
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

// ClusterScore is the score by which the cluster was ranked.
type ClusterScore struct {
	// +optional
	AffinityScore *int32 `json:"affinityScore,omitempty"`
	// TopologySpreadScore has a different name in JSON.
	//
	// +optional
	TopologySpreadScore *int32 `json:"priorityScore,omitempty"`
}

// ResourceBindingStatus is the status of the placement on the cluster.
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
