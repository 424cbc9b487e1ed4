package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// FederatedTypeConfig makes a kind of objects one that the control plane places.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,shortName=ftc
// +kubebuilder:subresource:status
type FederatedTypeConfig struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +required
	Spec FederatedTypeConfigSpec `json:"spec"`
}

// FederatedTypeConfigSpec is how objects of the kind are placed.
type FederatedTypeConfigSpec struct {
	// +required
	SourceType APIResource `json:"sourceType"`
	// Controllers are the steps that are taken before an object is sent to members.
	//
	// +optional
	Controllers [][]string `json:"controllers,omitempty"`
	// +optional
	PathDefinition PathDefinition `json:"pathDefinition,omitzero"`
	// +optional
	StatusCollection *StatusCollection `json:"statusCollection,omitempty"`
}

// PathDefinition says where an object of the kind has what.
type PathDefinition struct {
	// +optional
	ReplicasSpec string `json:"replicasSpec,omitempty"`
}

// StatusCollection says which fields are read from members.
type StatusCollection struct {
	// +required
	Enabled bool `json:"enabled"`
	// +optional
	Fields []string `json:"fields,omitempty"`
}
