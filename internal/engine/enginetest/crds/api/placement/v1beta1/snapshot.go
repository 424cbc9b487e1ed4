package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
)

// SchedulingPolicySnapshot is a version of the policy of a ResourcePlacement, with the decisions of the scheduler. It is served in v1beta1 only.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Namespaced,categories={fleet,fleet-placement},shortName=sps
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
type SchedulingPolicySnapshot struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +required
	Spec v1beta1.SchedulingPolicySnapshotSpec `json:"spec"`
	// +optional
	Status v1beta1.SchedulingPolicySnapshotStatus `json:"status,omitzero"`
}

// ResourceSnapshot is a version of the content of a ResourcePlacement, or a part of a large one. It is served in v1beta1 only.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Namespaced,categories={fleet,fleet-placement},shortName=rs
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
type ResourceSnapshot struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +required
	Spec v1beta1.ResourceSnapshotSpec `json:"spec"`
	// +optional
	Status v1beta1.ResourceSnapshotStatus `json:"status,omitzero"`
}
