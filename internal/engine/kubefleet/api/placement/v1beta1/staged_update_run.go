package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ClusterStagedUpdateRun rolls out the content of a ClusterResourcePlacement with strategy External.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,categories={fleet,fleet-placement},shortName=csur
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) < 64",message="metadata.name max length is 63"
type ClusterStagedUpdateRun struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +required
	Spec StagedUpdateRunSpec `json:"spec"`
	// +optional
	Status StagedUpdateRunStatus `json:"status,omitzero"`
}

// StagedUpdateRun rolls out the content of a ResourcePlacement with strategy External.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Namespaced,categories={fleet,fleet-placement},shortName=sur
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) < 64",message="metadata.name max length is 63"
type StagedUpdateRun struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +required
	Spec StagedUpdateRunSpec `json:"spec"`
	// +optional
	Status StagedUpdateRunStatus `json:"status,omitzero"`
}

// StagedUpdateRunSpec specifies the content, the strategy and the state. Everything except the state is immutable.
//
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.state) || oldSelf.state != 'Initialize' || self.state != 'Stop'",message="invalid state transition: cannot transition from Initialize to Stop"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.state) || oldSelf.state != 'Run' || self.state != 'Initialize'",message="invalid state transition: cannot transition from Run to Initialize"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.state) || oldSelf.state != 'Stop' || self.state != 'Initialize'",message="invalid state transition: cannot transition from Stop to Initialize"
type StagedUpdateRunSpec struct {
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="placementName is immutable"
	// +required
	PlacementName string `json:"placementName"`
	// ResourceSnapshotIndex is the index of the content, or empty for the latest content. The hub creates a snapshot if there is none.
	//
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="resourceSnapshotIndex is immutable"
	// +optional
	ResourceSnapshotIndex string `json:"resourceSnapshotIndex,omitempty"`
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="stagedRolloutStrategyName is immutable"
	// +required
	StagedUpdateStrategyName string `json:"stagedRolloutStrategyName"`
	// +kubebuilder:default=Initialize
	// +kubebuilder:validation:Enum=Initialize;Run;Stop
	// +optional
	State string `json:"state,omitempty"`
}

// StagedUpdateRunStatus is the progress of the run.
type StagedUpdateRunStatus struct {
	// +optional
	PolicySnapshotIndexUsed string `json:"policySnapshotIndexUsed,omitempty"`
	// +optional
	PolicyObservedClusterCount int `json:"policyObservedClusterCount,omitempty"`
	// +optional
	ResourceSnapshotIndexUsed string `json:"resourceSnapshotIndexUsed,omitempty"`
	// +optional
	ApplyStrategy *ApplyStrategy `json:"appliedStrategy,omitempty"`
	// StagedUpdateStrategySnapshot is a copy of the strategy from the initialization of the run.
	//
	// +optional
	StagedUpdateStrategySnapshot *StagedUpdateStrategySpec `json:"stagedUpdateStrategySnapshot,omitempty"`
	// +optional
	StagesStatus []StageUpdatingStatus `json:"stagesStatus,omitempty"`
	// DeletionStageStatus is the last stage, which removes the placement from clusters that are no longer picked.
	//
	// +optional
	DeletionStageStatus *StageUpdatingStatus `json:"deletionStageStatus,omitempty"`
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// The condition types of a run.
const (
	RunInitialized = "Initialized"
	RunProgressing = "Progressing"
	RunSucceeded   = "Succeeded"
)

// StageUpdatingStatus is the progress of a stage.
type StageUpdatingStatus struct {
	// +required
	StageName string `json:"stageName"`
	// +required
	Clusters []ClusterUpdatingStatus `json:"clusters"`
	// +kubebuilder:validation:MaxItems=2
	// +optional
	AfterStageTaskStatus []StageTaskStatus `json:"afterStageTaskStatus,omitempty"`
	// +kubebuilder:validation:MaxItems=1
	// +optional
	BeforeStageTaskStatus []StageTaskStatus `json:"beforeStageTaskStatus,omitempty"`
	// +optional
	StartTime metav1.Time `json:"startTime,omitzero"`
	// +optional
	EndTime metav1.Time `json:"endTime,omitzero"`
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// ClusterUpdatingStatus is the progress of a cluster in a stage.
type ClusterUpdatingStatus struct {
	// +required
	ClusterName string `json:"clusterName"`
	// +optional
	ResourceOverrideSnapshots []NamespacedName `json:"resourceOverrideSnapshots,omitempty"`
	// +optional
	ClusterResourceOverrideSnapshots []string `json:"clusterResourceOverrideSnapshots,omitempty"`
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// StageTaskStatus is the progress of a task.
type StageTaskStatus struct {
	// +kubebuilder:validation:Enum=TimedWait;Approval
	// +required
	Type string `json:"type"`
	// +optional
	ApprovalRequestName string `json:"approvalRequestName,omitempty"`
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// ClusterApprovalRequest is created by a run that waits for an approval. Users approve it with a condition in its status.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,categories={fleet,fleet-placement},shortName=careq
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
type ClusterApprovalRequest struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="The spec field is immutable"
	// +required
	Spec ApprovalRequestSpec `json:"spec"`
	// +optional
	Status ApprovalRequestStatus `json:"status,omitzero"`
}

// ApprovalRequest is created by a namespaced run that waits for an approval. Users approve it with a condition in its status.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Namespaced,categories={fleet,fleet-placement},shortName=areq
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
type ApprovalRequest struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="The spec field is immutable"
	// +required
	Spec ApprovalRequestSpec `json:"spec"`
	// +optional
	Status ApprovalRequestStatus `json:"status,omitzero"`
}

// ApprovalRequestSpec names the run and the stage.
type ApprovalRequestSpec struct {
	// +required
	TargetUpdateRun string `json:"parentStageRollout"`
	// +required
	TargetStage string `json:"targetStage"`
}

// ApprovalRequestStatus has the condition with the approval, and the condition with which the hub accepts the approval.
type ApprovalRequestStatus struct {
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// The condition types of an approval request. Users set the first condition, and the hub sets the second.
const (
	Approved         = "Approved"
	ApprovalAccepted = "ApprovalAccepted"
)
