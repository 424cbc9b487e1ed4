package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Work has objects that the agent of a member applies. It is in the namespace of the member on the hub. The provider reads which Works remain, which objects
// they contain, which objects are applied, and why objects could not be compared. The status of a placement does not contain this information.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Namespaced,categories={fleet,fleet-placement}
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
type Work struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +optional
	Spec WorkSpec `json:"spec,omitzero"`
	// +optional
	Status WorkStatus `json:"status,omitzero"`
}

// WorkSpec has the objects and the apply strategy.
type WorkSpec struct {
	// +optional
	Workload WorkloadTemplate `json:"workload,omitzero"`
	// +optional
	ApplyStrategy *ApplyStrategy `json:"applyStrategy,omitempty"`
}

// WorkloadTemplate has the objects.
type WorkloadTemplate struct {
	// +optional
	Manifests []EmbeddedManifest `json:"manifests,omitempty"`
}

// WorkStatus is the report of the agent.
type WorkStatus struct {
	// +required
	Conditions []metav1.Condition `json:"conditions"`
	// +optional
	ManifestConditions []ManifestCondition `json:"manifestConditions,omitempty"`
}

// ManifestCondition is the report of the agent about one object.
type ManifestCondition struct {
	// +required
	Identifier WorkResourceIdentifier `json:"identifier"`
	// +required
	Conditions []metav1.Condition `json:"conditions"`
}

// WorkResourceIdentifier names an object of a Work.
type WorkResourceIdentifier struct {
	// Ordinal is the index of the object among the manifests.
	//
	// +required
	Ordinal int `json:"ordinal"`
	// +optional
	Group string `json:"group,omitempty"`
	// +optional
	Version string `json:"version,omitempty"`
	// +optional
	Kind string `json:"kind,omitempty"`
	// +optional
	Resource string `json:"resource,omitempty"`
	// +optional
	Namespace string `json:"namespace,omitempty"`
	// +optional
	Name string `json:"name,omitempty"`
}

// EmbeddedManifest is any object with kind, API version and metadata.
//
// +kubebuilder:validation:Type=object
// +kubebuilder:validation:XEmbeddedResource
// +kubebuilder:pruning:PreserveUnknownFields
type EmbeddedManifest struct {
	runtime.RawExtension `json:",inline"`
}
