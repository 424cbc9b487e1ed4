package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// FederatedCluster registers a member. The member leaves the fleet when the FederatedCluster is deleted.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,shortName=fcluster
// +kubebuilder:subresource:status
type FederatedCluster struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +optional
	Spec FederatedClusterSpec `json:"spec,omitzero"`
	// +optional
	Status FederatedClusterStatus `json:"status,omitzero"`
}

// FederatedClusterSpec has the settings of the control plane's connection to a member.
type FederatedClusterSpec struct {
	// APIEndpoint is a host, a host with a port, or a URL.
	//
	// +required
	APIEndpoint string `json:"apiEndpoint"`
	// Insecure makes the control plane accept any certificate of the member.
	//
	// +optional
	Insecure bool `json:"insecure,omitempty"`
	// UseServiceAccount makes the control plane create a ServiceAccount on the member when the member joins, with the credentials in the Secret. Later, the
	// control plane uses the token of the ServiceAccount, which it adds to the Secret.
	//
	// +optional
	UseServiceAccount bool `json:"useServiceAccount,omitempty"`
	// SecretRef is a Secret in the system namespace of the host.
	//
	// +required
	SecretRef LocalSecretReference `json:"secretRef"`
	// +optional
	Taints []Taint `json:"taints,omitempty"`
}

// LocalSecretReference names a Secret.
type LocalSecretReference struct {
	// +required
	Name string `json:"name"`
}

// TaintEffect is what a taint does to objects that do not tolerate it.
type TaintEffect string

// Effects of taints.
const (
	NoSchedule       TaintEffect = "NoSchedule"
	PreferNoSchedule TaintEffect = "PreferNoSchedule"
	NoExecute        TaintEffect = "NoExecute"
)

// Taint excludes a member for objects that do not tolerate the taint. A taint with the effect PreferNoSchedule only lowers the score of the member.
type Taint struct {
	// +required
	Key string `json:"key"`
	// +optional
	Value string `json:"value,omitempty"`
	// +required
	Effect TaintEffect `json:"effect"`
}

// FederatedClusterStatus is the state of a member as the control plane observed it.
type FederatedClusterStatus struct {
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []ClusterCondition `json:"conditions,omitempty"`
	// +optional
	Resources Resources `json:"resources,omitzero"`
	// APIResourceTypes are the kinds that the member serves.
	//
	// +optional
	APIResourceTypes []APIResource `json:"apiResourceTypes,omitempty"`
	// JoinPerformed reports that the control plane has created, or tried to create, its own namespace on the member. It then deletes the namespace when the
	// member leaves.
	//
	// +optional
	JoinPerformed bool `json:"joinPerformed,omitempty"`
}

// ClusterCondition is a condition of a member.
type ClusterCondition struct {
	// +required
	Type string `json:"type"`
	// +required
	Status string `json:"status"`
	// +required
	LastProbeTime metav1.Time `json:"lastProbeTime"`
	// +required
	LastTransitionTime metav1.Time `json:"lastTransitionTime"`
	// +required
	Reason string `json:"reason"`
	// +required
	Message string `json:"message"`
}

// These are the condition types of a member, and reasons of Joined. After TokenNotObtained, the control plane retries until the join times out. After the other
// reasons, it does not retry.
const (
	ConditionJoined  = "Joined"
	ConditionReady   = "Ready"
	ConditionOffline = "Offline"

	ReasonJoinTimeoutExceeded = "JoinTimeoutExceeded"
	ReasonClusterUnjoinable   = "ClusterUnjoinable"
	ReasonTokenNotObtained    = "TokenNotObtained"
)

// Resources are the sums over the schedulable nodes of a member. Available is Allocatable without the requests of the Pods.
type Resources struct {
	// +optional
	SchedulableNodes *int64 `json:"schedulableNodes,omitempty"`
	// +optional
	Allocatable map[string]resource.Quantity `json:"allocatable,omitempty"`
	// +optional
	Available map[string]resource.Quantity `json:"available,omitempty"`
}

// APIResource is a kind that a member serves.
type APIResource struct {
	// +optional
	Group string `json:"group,omitempty"`
	// +required
	Version string `json:"version"`
	// +required
	Kind string `json:"kind"`
	// +required
	PluralName string `json:"pluralName"`
	// +required
	Scope string `json:"scope"`
}
