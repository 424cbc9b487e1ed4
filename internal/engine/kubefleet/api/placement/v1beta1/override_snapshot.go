package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ClusterResourceOverrideSnapshot is a copy of a ClusterResourceOverride. Its name is the name of the override, a hyphen and an index.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,categories={fleet,fleet-placement}
// +kubebuilder:storageversion
type ClusterResourceOverrideSnapshot struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +required
	Spec ClusterResourceOverrideSnapshotSpec `json:"spec"`
}

// ClusterResourceOverrideSnapshotSpec has a copy of the spec of the override.
type ClusterResourceOverrideSnapshotSpec struct {
	// +required
	OverrideSpec ClusterResourceOverrideSpec `json:"overrideSpec"`
	// OverrideHash is a hash of the spec.
	//
	// +required
	OverrideHash []byte `json:"overrideHash"`
}

// ResourceOverrideSnapshot is a copy of a ResourceOverride. Its name is the name of the override, a hyphen and an index.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Namespaced,categories={fleet,fleet-placement}
// +kubebuilder:storageversion
type ResourceOverrideSnapshot struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +required
	Spec ResourceOverrideSnapshotSpec `json:"spec"`
}

// ResourceOverrideSnapshotSpec has a copy of the spec of the override.
type ResourceOverrideSnapshotSpec struct {
	// +required
	OverrideSpec ResourceOverrideSpec `json:"overrideSpec"`
	// OverrideHash is a hash of the spec.
	//
	// +required
	OverrideHash []byte `json:"overrideHash"`
}
