package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ClusterResourceOverrideSnapshot is a ClusterResourceOverride as it was. Its name is that of the override, a hyphen and an index.
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

// ClusterResourceOverrideSnapshotSpec has what the override said.
type ClusterResourceOverrideSnapshotSpec struct {
	// +required
	OverrideSpec ClusterResourceOverrideSpec `json:"overrideSpec"`
	// OverrideHash is a sum of it.
	//
	// +required
	OverrideHash []byte `json:"overrideHash"`
}

// ResourceOverrideSnapshot is a ResourceOverride as it was. Its name is that of the override, a hyphen and an index.
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

// ResourceOverrideSnapshotSpec has what the override said.
type ResourceOverrideSnapshotSpec struct {
	// +required
	OverrideSpec ResourceOverrideSpec `json:"overrideSpec"`
	// OverrideHash is a sum of it.
	//
	// +required
	OverrideHash []byte `json:"overrideHash"`
}
