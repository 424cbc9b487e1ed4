package v1beta1

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ClusterResourceOverride makes cluster-scoped objects, or all objects of a namespace, differ from cluster to cluster.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,categories={fleet,fleet-placement}
// +kubebuilder:storageversion
// +kubebuilder:validation:XValidation:rule="!has(self.spec.placement) || self.spec.placement.scope != 'Namespaced'",message="clusterResourceOverride placement reference cannot be Namespaced scope"
type ClusterResourceOverride struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +required
	Spec ClusterResourceOverrideSpec `json:"spec"`
}

// ClusterResourceOverrideSpec specifies the objects and the changes.
//
// +kubebuilder:validation:XValidation:rule="has(self.placement) == has(oldSelf.placement) && (!has(self.placement) || self.placement == oldSelf.placement)",message="The placement field is immutable"
type ClusterResourceOverrideSpec struct {
	// Placement is the only placement that the override applies to; nil for all.
	//
	// +optional
	Placement *PlacementRef `json:"placement,omitempty"`
	// ClusterResourceSelectors select by name only, which webhooks check.
	//
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=20
	// +required
	ClusterResourceSelectors []ResourceSelector `json:"clusterResourceSelectors"`
	// +required
	Policy OverridePolicy `json:"policy"`
}

// ResourceOverride makes objects of its namespace differ from cluster to cluster.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Namespaced,categories={fleet,fleet-placement}
// +kubebuilder:storageversion
type ResourceOverride struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +required
	Spec ResourceOverrideSpec `json:"spec"`
}

// ResourceOverrideSpec specifies the objects and the changes.
//
// +kubebuilder:validation:XValidation:rule="has(self.placement) == has(oldSelf.placement) && (!has(self.placement) || self.placement == oldSelf.placement)",message="The placement field is immutable"
type ResourceOverrideSpec struct {
	// Placement is the only placement that the override applies to; nil for all.
	//
	// +optional
	Placement *PlacementRef `json:"placement,omitempty"`
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=20
	// +required
	ResourceSelectors []ObjectSelector `json:"resourceSelectors"`
	// +required
	Policy OverridePolicy `json:"policy"`
}

// PlacementRef names a placement.
type PlacementRef struct {
	// +required
	Name string `json:"name"`
	// +kubebuilder:default=Cluster
	// +kubebuilder:validation:Enum=Cluster;Namespaced
	// +optional
	Scope string `json:"scope,omitempty"`
}

// ObjectSelector selects one object in the namespace of the override.
type ObjectSelector struct {
	// +required
	Group string `json:"group"`
	// +required
	Version string `json:"version"`
	// +required
	Kind string `json:"kind"`
	// +required
	Name string `json:"name"`
}

// OverridePolicy has the rules of an override.
type OverridePolicy struct {
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=20
	// +required
	OverrideRules []OverrideRule `json:"overrideRules"`
}

// OverrideRule specifies a change on some clusters.
type OverrideRule struct {
	// ClusterSelector selects no cluster if it is nil, and every cluster if it has no terms.
	//
	// +optional
	ClusterSelector *ClusterSelector `json:"clusterSelector,omitempty"`
	// +kubebuilder:default=JSONPatch
	// +kubebuilder:validation:Enum=JSONPatch;Delete
	// +optional
	OverrideType string `json:"overrideType,omitempty"`
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=20
	// +optional
	JSONPatchOverrides []JSONPatchOverride `json:"jsonPatchOverrides,omitzero"`
}

// JSONPatchOverride is one operation of a JSON patch.
type JSONPatchOverride struct {
	// +kubebuilder:validation:Enum=add;remove;replace
	// +required
	Operator string `json:"op"`
	// +required
	Path string `json:"path"`
	// Value is any JSON; webhooks reject a value for remove.
	//
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	// +optional
	Value json.RawMessage `json:"value,omitempty"`
}
