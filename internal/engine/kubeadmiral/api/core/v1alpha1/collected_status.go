package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// CollectedStatus has the fields of an object that the control plane has read from members. It has the same name as the FederatedObject of the object.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:shortName=cs
type CollectedStatus struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +required
	Clusters []CollectedFieldsWithCluster `json:"clusters"`
	// +required
	LastUpdateTime metav1.Time `json:"lastUpdateTime"`
}

// ClusterCollectedStatus is the CollectedStatus of a cluster-scoped object.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,shortName=ccs
type ClusterCollectedStatus struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +required
	Clusters []CollectedFieldsWithCluster `json:"clusters"`
	// +required
	LastUpdateTime metav1.Time `json:"lastUpdateTime"`
}

// CollectedFieldsWithCluster are the fields of the object on one member.
type CollectedFieldsWithCluster struct {
	// +required
	Cluster string `json:"cluster"`
	// CollectedFields has the fields that the FederatedTypeConfig of the kind lists in statusCollection.
	//
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Schemaless
	// +required
	CollectedFields runtime.RawExtension `json:"collectedFields"`
	// +optional
	Error string `json:"error,omitempty"`
}
