package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// AppliedWork is the object that the agent creates on a member for each Work. It owns the objects of the Work, which are deleted with the AppliedWork. The
// hub has no AppliedWorks.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,categories={fleet,fleet-placement}
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
type AppliedWork struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +required
	Spec AppliedWorkSpec `json:"spec"`
	// +optional
	Status AppliedWorkStatus `json:"status,omitzero"`
}

// AppliedWorkSpec names the Work.
type AppliedWorkSpec struct {
	// +required
	WorkName string `json:"workName"`
	// +required
	WorkNamespace string `json:"workNamespace"`
}

// AppliedWorkStatus lists the applied objects.
type AppliedWorkStatus struct {
	// AppliedResources are the objects that the agent has applied. It does not contain objects that the agent could not apply.
	//
	// +optional
	AppliedResources []AppliedResource `json:"appliedResources,omitempty"`
}

// AppliedResource is an object that the agent has applied.
type AppliedResource struct {
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
	// +optional
	UID types.UID `json:"uid,omitempty"`
}
