package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// FederatedObject is the object that the control plane creates for a namespaced object of the host.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:shortName=fo
// +kubebuilder:subresource:status
type FederatedObject struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +required
	Spec FederatedObjectSpec `json:"spec"`
	// +optional
	Status FederatedObjectStatus `json:"status,omitzero"`
}

// ClusterFederatedObject is the FederatedObject of a cluster-scoped object.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,shortName=cfo
// +kubebuilder:subresource:status
type ClusterFederatedObject struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +required
	Spec FederatedObjectSpec `json:"spec"`
	// +optional
	Status FederatedObjectStatus `json:"status,omitzero"`
}

// FederatedObjectSpec defines what is sent to which members.
type FederatedObjectSpec struct {
	// Template is the object without the fields that only apply to the host. It keeps the generation.
	//
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Schemaless
	// +required
	Template runtime.RawExtension `json:"template"`
	// Placements are the members that controllers have chosen. The object is placed on every member that at least one controller has chosen.
	//
	// +optional
	Placements []PlacementWithController `json:"placements,omitempty"`
	// +optional
	Overrides []OverrideWithController `json:"overrides,omitempty"`
	// Follows are the workloads that the object follows to their members.
	//
	// +optional
	Follows []LeaderReference `json:"follows,omitempty"`
}

// LeaderReference names a workload that other objects follow.
type LeaderReference struct {
	// +optional
	Group string `json:"group,omitempty"`
	// +required
	Kind string `json:"kind"`
	// +optional
	Namespace string `json:"namespace,omitempty"`
	// +required
	Name string `json:"name"`
}

// PlacementWithController has the members that one controller has chosen.
type PlacementWithController struct {
	// +required
	Controller string `json:"controller"`
	// +required
	Placement []ClusterReference `json:"placement"`
}

// ClusterReference names a member.
type ClusterReference struct {
	// +required
	Cluster string `json:"cluster"`
}

// OverrideWithController has the changes that one controller makes to the objects that are sent to members.
type OverrideWithController struct {
	// +required
	Controller string `json:"controller"`
	// +required
	Clusters []ClusterPatches `json:"clusters"`
}

// ClusterPatches are the changes for one member.
type ClusterPatches struct {
	// +required
	Cluster string `json:"cluster"`
	// +optional
	Patches []Patch `json:"patches,omitempty"`
}

// Patch is one operation of a JSON patch. The default operation is replace.
type Patch struct {
	// +optional
	Op string `json:"op,omitempty"`
	// +required
	Path string `json:"path"`
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Schemaless
	// +optional
	Value runtime.RawExtension `json:"value,omitzero"`
}

// FederatedObjectStatus is the result of the propagation. It contains neither the reason nor the time of a failure, but events do.
type FederatedObjectStatus struct {
	// SyncedGeneration is the generation to which the status refers.
	//
	// +optional
	SyncedGeneration int64 `json:"syncedGeneration,omitempty"`
	// +optional
	Conditions []FederatedObjectCondition `json:"conditions,omitempty"`
	// +optional
	Clusters []PropagationStatus `json:"clusters,omitempty"`
}

// FederatedObjectCondition is a condition of a FederatedObject. The only type is Propagated.
type FederatedObjectCondition struct {
	// +required
	Type string `json:"type"`
	// +required
	Status string `json:"status"`
	// +optional
	Reason string `json:"reason,omitempty"`
}

// PropagationStatus is the state of an object on a member.
type PropagationStatus struct {
	// +required
	Cluster string `json:"cluster"`
	// +required
	Status string `json:"status"`
	// LastObservedGeneration is the generation of the object on the member, or 0 for kinds without a generation.
	//
	// +optional
	LastObservedGeneration int64 `json:"lastObservedGeneration,omitempty"`
}

// These are the states of an object on a member.
const (
	StatusOK                         = "OK"
	StatusPendingCreate              = "PendingCreate"
	StatusWaitingForRemoval          = "WaitingForRemoval"
	StatusWaitingForCascadingDelete  = "WaitingForCascadingDeletion"
	StatusClusterNotReady            = "ClusterNotReady"
	StatusClusterTerminating         = "ClusterTerminating"
	StatusFinalizerCheckFailed       = "FinalizerCheckFailed"
	StatusClientRetrievalFailed      = "ClientRetrievalFailed"
	StatusAlreadyExists              = "AlreadyExists"
	StatusManagedLabelFalse          = "ManagedLabelFalse"
	StatusCreationFailed             = "CreationFailed"
	StatusUpdateFailed               = "UpdateFailed"
	StatusCreationTimedOut           = "CreationTimedOut"
	StatusUpdateTimedOut             = "UpdateTimedOut"
	StatusDeletionFailed             = "DeletionFailed"
	StatusDeletionTimedOut           = "DeletionTimedOut"
	StatusLabelRemovalFailed         = "LabelRemovalFailed"
	StatusLabelRemovalTimedOut       = "LabelRemovalTimedOut"
	StatusApplyOverridesFailed       = "ApplyOverridesFailed"
	StatusComputeResourceFailed      = "ComputeResourceFailed"
	StatusFieldRetentionFailed       = "FieldRetentionFailed"
	StatusVersionRetrievalFailed     = "VersionRetrievalFailed"
	StatusRetrievalFailed            = "RetrievalFailed"
	StatusCachedRetrievalFailed      = "CachedRetrievalFailed"
	StatusSetLastReplicasetNameFails = "SetLastReplicasetNameFailed"
)
