package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
)

// ClusterResourceBinding ties a ClusterResourcePlacement to a cluster.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,categories={fleet,fleet-placement},shortName=crb
// +kubebuilder:subresource:status
type ClusterResourceBinding struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +required
	Spec v1beta1.ResourceBindingSpec `json:"spec"`
	// +optional
	Status v1beta1.ResourceBindingStatus `json:"status,omitzero"`
}

// ClusterSchedulingPolicySnapshot is a version of the policy of a ClusterResourcePlacement, with the decisions of the scheduler.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,categories={fleet,fleet-placement},shortName=csps
// +kubebuilder:subresource:status
type ClusterSchedulingPolicySnapshot struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +required
	Spec v1beta1.SchedulingPolicySnapshotSpec `json:"spec"`
	// +optional
	Status v1beta1.SchedulingPolicySnapshotStatus `json:"status,omitzero"`
}

// ClusterResourceSnapshot is a version of the content of a ClusterResourcePlacement, or a part of a large one.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,categories={fleet,fleet-placement},shortName=crs
// +kubebuilder:subresource:status
type ClusterResourceSnapshot struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +required
	Spec v1beta1.ResourceSnapshotSpec `json:"spec"`
	// +optional
	Status v1beta1.ResourceSnapshotStatus `json:"status,omitzero"`
}

// Work contains the manifests that the agent of a member applies. It is in the hub's namespace for the member.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Namespaced,categories={fleet,fleet-placement}
// +kubebuilder:subresource:status
type Work struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +optional
	Spec v1beta1.WorkSpec `json:"spec,omitzero"`
	// +optional
	Status v1beta1.WorkStatus `json:"status,omitzero"`
}
