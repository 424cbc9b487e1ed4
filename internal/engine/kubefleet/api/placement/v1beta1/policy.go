package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// PlacementPolicy specifies the clusters. Without a policy, a hub picks all clusters; hubs with webhooks store the type PickAll as a default.
type PlacementPolicy struct {
	// +kubebuilder:default=PickAll
	// +kubebuilder:validation:Enum=PickAll;PickN;PickFixed
	// +optional
	PlacementType string `json:"placementType,omitempty"`
	// +kubebuilder:validation:MaxItems=100
	// +optional
	ClusterNames []string `json:"clusterNames,omitzero"`
	// +kubebuilder:validation:Minimum=0
	// +optional
	NumberOfClusters *int32 `json:"numberOfClusters,omitempty"`
	// +optional
	Affinity *Affinity `json:"affinity,omitempty"`
	// +optional
	TopologySpreadConstraints []TopologySpreadConstraint `json:"topologySpreadConstraints,omitzero"`
	// Tolerations can be added, but not changed or removed.
	//
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:XValidation:rule="self.all(t, t.operator != 'Exists' || !has(t.value) || size(t.value) == 0)",message="value must be empty when operator is Exists"
	// +kubebuilder:validation:XValidation:rule="self.all(t, t.operator == 'Exists' || (has(t.key) && size(t.key) > 0))",message="operator must be Exists when key is empty"
	// +optional
	Tolerations []Toleration `json:"tolerations,omitzero"`
}

// Affinity has the cluster affinity.
type Affinity struct {
	// +optional
	ClusterAffinity *ClusterAffinity `json:"clusterAffinity,omitempty"`
}

// ClusterAffinity has the required and the preferred cluster affinity.
type ClusterAffinity struct {
	// +optional
	RequiredDuringSchedulingIgnoredDuringExecution *ClusterSelector `json:"requiredDuringSchedulingIgnoredDuringExecution,omitempty"`
	// +optional
	PreferredDuringSchedulingIgnoredDuringExecution []PreferredClusterSelector `json:"preferredDuringSchedulingIgnoredDuringExecution,omitzero"`
}

// ClusterSelector is a list of terms, one of which must match. The list is required, but may be empty.
type ClusterSelector struct {
	// +kubebuilder:validation:MaxItems=10
	// +required
	ClusterSelectorTerms []ClusterSelectorTerm `json:"clusterSelectorTerms"`
}

// ClusterSelectorTerm matches if each of its parts matches.
type ClusterSelectorTerm struct {
	// +optional
	LabelSelector *metav1.LabelSelector `json:"labelSelector,omitempty"`
	// PropertySelector is rejected in preferred terms by webhooks, and PropertySorter in required ones.
	//
	// +optional
	PropertySelector *PropertySelector `json:"propertySelector,omitempty"`
	// +optional
	PropertySorter *PropertySorter `json:"propertySorter,omitempty"`
}

// PropertySelector compares properties of a cluster; all expressions must match.
type PropertySelector struct {
	// +required
	MatchExpressions []PropertySelectorRequirement `json:"matchExpressions"`
}

// PropertySelectorRequirement compares one property with one value. Only webhooks check the operator.
type PropertySelectorRequirement struct {
	// +required
	Name string `json:"name"`
	// +required
	Operator string `json:"operator"`
	// +kubebuilder:validation:MaxItems=1
	// +required
	Values []string `json:"values"`
}

// PropertySorter ranks clusters by a property.
type PropertySorter struct {
	// +required
	Name string `json:"name"`
	// +kubebuilder:validation:Enum=Ascending;Descending
	// +required
	SortOrder string `json:"sortOrder"`
}

// PreferredClusterSelector adds its weight to the score of clusters that match.
type PreferredClusterSelector struct {
	// +kubebuilder:validation:Minimum=-100
	// +kubebuilder:validation:Maximum=100
	// +required
	Weight int32 `json:"weight"`
	// +required
	Preference ClusterSelectorTerm `json:"preference"`
}

// TopologySpreadConstraint limits how unevenly the picks are spread over the values of a label.
type TopologySpreadConstraint struct {
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +optional
	MaxSkew *int32 `json:"maxSkew,omitempty"`
	// +required
	TopologyKey string `json:"topologyKey"`
	// +kubebuilder:default=DoNotSchedule
	// +kubebuilder:validation:Enum=DoNotSchedule;ScheduleAnyway
	// +optional
	WhenUnsatisfiable string `json:"whenUnsatisfiable,omitempty"`
}

// Toleration allows a placement on clusters with a taint; an empty effect matches all effects.
type Toleration struct {
	// +optional
	Key string `json:"key,omitempty"`
	// +kubebuilder:default=Equal
	// +kubebuilder:validation:Enum=Equal;Exists
	// +optional
	Operator string `json:"operator,omitempty"`
	// +optional
	Value string `json:"value,omitempty"`
	// +kubebuilder:validation:Enum=NoSchedule
	// +optional
	Effect string `json:"effect,omitempty"`
}
