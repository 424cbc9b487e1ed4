package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/cluster/v1beta1"
)

// MemberCluster registers a member.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,categories={fleet,fleet-cluster},shortName=cluster
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Joined",type=string,JSONPath=`.status.conditions[?(@.type=="Joined")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) < 64",message="metadata.name max length is 63"
type MemberCluster struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +required
	Spec MemberClusterSpec `json:"spec"`
	// +optional
	Status MemberClusterStatus `json:"status,omitzero"`
}

// MemberClusterSpec has no deleteOptions.
type MemberClusterSpec struct {
	// Identity is the identity of the member's agent on the hub.
	//
	// +structType=atomic
	// +required
	Identity v1beta1.Subject `json:"identity"`
	// +kubebuilder:default=60
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=600
	// +optional
	HeartbeatPeriodSeconds *int32 `json:"heartbeatPeriodSeconds,omitempty"`
	// +kubebuilder:validation:MaxItems=100
	// +optional
	Taints []v1beta1.Taint `json:"taints,omitzero"`
}

// MemberClusterStatus has no namespaces.
type MemberClusterStatus struct {
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// +optional
	Properties map[string]v1beta1.PropertyValue `json:"properties,omitempty"`
	// +optional
	ResourceUsage v1beta1.ResourceUsage `json:"resourceUsage,omitzero"`
	// +optional
	AgentStatus []v1beta1.AgentStatus `json:"agentStatus,omitempty"`
}
