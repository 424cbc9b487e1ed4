package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
)

// ClusterStagedUpdateRun rolls a content out for a ClusterResourcePlacement whose strategy is External.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,categories={fleet,fleet-placement},shortName=csur
// +kubebuilder:subresource:status
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) < 64",message="metadata.name max length is 63"
type ClusterStagedUpdateRun struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +required
	Spec v1beta1.StagedUpdateRunSpec `json:"spec"`
	// +optional
	Status v1beta1.StagedUpdateRunStatus `json:"status,omitzero"`
}

// StagedUpdateRun rolls a content out for a ResourcePlacement whose strategy is External.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Namespaced,categories={fleet,fleet-placement},shortName=sur
// +kubebuilder:subresource:status
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) < 64",message="metadata.name max length is 63"
type StagedUpdateRun struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +required
	Spec v1beta1.StagedUpdateRunSpec `json:"spec"`
	// +optional
	Status v1beta1.StagedUpdateRunStatus `json:"status,omitzero"`
}

// ClusterApprovalRequest is created by a run that waits for an approval. An approver sets the approval in its status.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,categories={fleet,fleet-placement},shortName=careq
// +kubebuilder:subresource:status
type ClusterApprovalRequest struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="The spec field is immutable"
	// +required
	Spec v1beta1.ApprovalRequestSpec `json:"spec"`
	// +optional
	Status v1beta1.ApprovalRequestStatus `json:"status,omitzero"`
}

// ApprovalRequest is created by a run in a namespace that waits for an approval. An approver sets the approval in its status.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Namespaced,categories={fleet,fleet-placement},shortName=areq
// +kubebuilder:subresource:status
type ApprovalRequest struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="The spec field is immutable"
	// +required
	Spec v1beta1.ApprovalRequestSpec `json:"spec"`
	// +optional
	Status v1beta1.ApprovalRequestStatus `json:"status,omitzero"`
}
