package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// FederatedTypeConfig makes the control plane place the objects of a kind.
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

// FederatedTypeConfigSpec defines how objects of the kind are placed.
type FederatedTypeConfigSpec struct {
	// +required
	SourceType APIResource `json:"sourceType"`
	// Controllers are the controllers that process an object before it is sent to members. Each group starts after the group before it.
	//
	// +optional
	Controllers [][]string `json:"controllers,omitempty"`
	// +optional
	PathDefinition PathDefinition `json:"pathDefinition,omitzero"`
	// +optional
	StatusCollection *StatusCollection `json:"statusCollection,omitempty"`
	// +optional
	// +kubebuilder:default:={enabled: true}
	StatusAggregation *StatusAggregation `json:"statusAggregation,omitempty"`
}

// StatusAggregation makes the control plane write to the object on the host: the status of the objects on members, and annotations of the FederatedObject.
type StatusAggregation struct {
	// +kubebuilder:default:=true
	Enabled bool `json:"enabled"`
}

// PathDefinition has the paths of well-known fields in objects of the kind.
type PathDefinition struct {
	// +optional
	ReplicasSpec string `json:"replicasSpec,omitempty"`
}

// StatusCollection has the fields that the control plane collects from members if Enabled is true.
type StatusCollection struct {
	// +required
	Enabled bool `json:"enabled"`
	// +optional
	Fields []string `json:"fields,omitempty"`
}
