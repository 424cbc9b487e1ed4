package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Work is what a hub tells the agent of a member to apply, in the namespace that the hub has for the member. The provider only asks whether
// any is left.
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

// WorkSpec has the objects.
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

// WorkStatus is what the agent has reported.
type WorkStatus struct {
	// +required
	Conditions []metav1.Condition `json:"conditions"`
}
