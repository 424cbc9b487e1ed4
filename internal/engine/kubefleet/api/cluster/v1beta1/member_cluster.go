package v1beta1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// MemberCluster registers a member. The member leaves the fleet when the MemberCluster is deleted.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,categories={fleet,fleet-cluster},shortName=cluster
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
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

// MemberClusterSpec is the registration of a member.
type MemberClusterSpec struct {
	// Identity is the identity of the member's agent on the hub.
	//
	// +structType=atomic
	// +required
	Identity Subject `json:"identity"`
	// +kubebuilder:default=60
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=600
	// +optional
	HeartbeatPeriodSeconds *int32 `json:"heartbeatPeriodSeconds,omitempty"`
	// +kubebuilder:validation:MaxItems=100
	// +optional
	Taints []Taint `json:"taints,omitzero"`
	// DeleteOptions is not in v1.
	//
	// +optional
	DeleteOptions *DeleteOptions `json:"deleteOptions,omitempty"`
}

// Subject is a user, a group or a service account, in the form of rbac.authorization.k8s.io/v1.
type Subject struct {
	// +required
	Kind string `json:"kind"`
	// +optional
	APIGroup string `json:"apiGroup,omitempty"`
	// +required
	Name string `json:"name"`
	// +optional
	Namespace string `json:"namespace,omitempty"`
}

// Taint keeps placements that do not tolerate it away from a member.
type Taint struct {
	// +required
	Key string `json:"key"`
	// +optional
	Value string `json:"value,omitempty"`
	// +kubebuilder:validation:Enum=NoSchedule
	// +required
	Effect string `json:"effect"`
}

// DeleteOptions specifies the checks before a member is deleted.
type DeleteOptions struct {
	// +kubebuilder:default=Strict
	// +kubebuilder:validation:Enum=Skip;Strict
	// +optional
	ValidationMode string `json:"validationMode,omitempty"`
}

// MemberClusterStatus has the reports of the agents on the member, and whether the member has joined.
type MemberClusterStatus struct {
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// Properties are the properties of the member by name, such as kubernetes-fleet.io/node-count. CPU and memory are in ResourceUsage instead.
	//
	// +optional
	Properties map[string]PropertyValue `json:"properties,omitempty"`
	// Namespaces maps each namespace of the member to the Work that created it, or to "" if no Work did. It is set only if the hub collects namespaces. v1 does
	// not have this field.
	//
	// +optional
	Namespaces map[string]string `json:"namespaces,omitempty"`
	// +optional
	ResourceUsage ResourceUsage `json:"resourceUsage,omitzero"`
	// +optional
	AgentStatus []AgentStatus `json:"agentStatus,omitempty"`
}

// PropertyValue is the last observed value of a property of a member.
type PropertyValue struct {
	// Value is a quantity, which is not validated.
	//
	// +required
	Value string `json:"value"`
	// +required
	ObservationTime metav1.Time `json:"observationTime"`
}

// ResourceUsage has the sums over all nodes of a member.
type ResourceUsage struct {
	// +optional
	Capacity map[string]resource.Quantity `json:"capacity,omitempty"`
	// +optional
	Allocatable map[string]resource.Quantity `json:"allocatable,omitempty"`
	// Available is the part that no Pod has requested.
	//
	// +optional
	Available map[string]resource.Quantity `json:"available,omitempty"`
	// +optional
	ObservationTime metav1.Time `json:"observationTime,omitzero"`
}

// AgentStatus is the report of an agent. If an agent stops, its conditions remain, and LastReceivedHeartbeat is no longer updated.
type AgentStatus struct {
	// Type is MemberAgent, or an agent of Azure's networking.
	//
	// +required
	Type string `json:"type"`
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// +optional
	LastReceivedHeartbeat metav1.Time `json:"lastReceivedHeartbeat,omitzero"`
}
