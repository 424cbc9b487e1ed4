package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// PropagationPolicy selects the members for the objects of its namespace that have its label.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:shortName=pp
// +kubebuilder:subresource:status
type PropagationPolicy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +required
	Spec PropagationPolicySpec `json:"spec"`
	// +optional
	Status PropagationPolicyStatus `json:"status,omitzero"`
}

// ClusterPropagationPolicy selects the members for objects of any namespace and for cluster-scoped objects.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,shortName=cpp
// +kubebuilder:subresource:status
type ClusterPropagationPolicy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +required
	Spec PropagationPolicySpec `json:"spec"`
	// +optional
	Status PropagationPolicyStatus `json:"status,omitzero"`
}

// SchedulingModeDuplicate places the same number of replicas on every picked member.
const SchedulingModeDuplicate = "Duplicate"

// PropagationPolicySpec is the spec of both kinds.
type PropagationPolicySpec struct {
	// +kubebuilder:validation:Enum=Duplicate;Divide
	// +required
	SchedulingMode string `json:"schedulingMode"`
	// SchedulingProfile is the name of a SchedulingProfile. While no such SchedulingProfile exists, the scheduler does not change the placement of any object of
	// the policy.
	//
	// +optional
	SchedulingProfile string `json:"schedulingProfile,omitempty"`
	// ClusterAffinity has the terms. A cluster must match at least one of them.
	//
	// +optional
	ClusterAffinity []ClusterSelectorTerm `json:"clusterAffinity,omitempty"`
	// +optional
	ClusterSelector map[string]string `json:"clusterSelector,omitempty"`
	// +optional
	Tolerations []Toleration `json:"tolerations,omitempty"`
	// MaxClusters is the maximum number of clusters. KubeAdmiral does not report that it has picked fewer clusters.
	//
	// +optional
	MaxClusters *int64 `json:"maxClusters,omitempty"`
	// Placements are the only clusters that the scheduler can pick. If the list is empty, it can pick any cluster.
	//
	// +optional
	Placements []DesiredPlacement `json:"placement,omitempty"`
	// +optional
	DisableFollowerScheduling bool `json:"disableFollowerScheduling,omitempty"`
	// ReschedulePolicy defines which changes of the policy and of clusters cause rescheduling. Without RescheduleWhen, none does.
	//
	// +kubebuilder:default={rescheduleWhen: {policyContentChanged: true}}
	// +optional
	ReschedulePolicy *ReschedulePolicy `json:"reschedulePolicy,omitempty"`
}

// ClusterSelectorTerm matches if all its expressions match. An empty term matches no cluster.
type ClusterSelectorTerm struct {
	// +optional
	MatchExpressions []ClusterSelectorRequirement `json:"matchExpressions,omitempty"`
	// MatchFields supports only metadata.name, with one value.
	//
	// +optional
	MatchFields []ClusterSelectorRequirement `json:"matchFields,omitempty"`
}

// ClusterSelectorRequirement is a requirement for one label or field of a member.
type ClusterSelectorRequirement struct {
	// +required
	Key string `json:"key"`
	// +kubebuilder:validation:Enum=In;NotIn;Exists;DoesNotExist;Gt;Lt
	// +required
	Operator string `json:"operator"`
	// Values is an empty list for operators without values.
	//
	// +required
	Values []string `json:"values"`
}

// Toleration allows objects on members with a taint.
type Toleration struct {
	// +optional
	Key string `json:"key,omitempty"`
	// +optional
	Operator string `json:"operator,omitempty"`
	// +optional
	Value string `json:"value,omitempty"`
	// +optional
	Effect TaintEffect `json:"effect,omitempty"`
}

// DesiredPlacement names a member.
type DesiredPlacement struct {
	// +required
	Cluster string `json:"cluster"`
}

// ReschedulePolicy defines when scheduled objects are rescheduled.
type ReschedulePolicy struct {
	// +optional
	DisableRescheduling bool `json:"disableRescheduling"`
	// +optional
	RescheduleWhen *RescheduleWhen `json:"rescheduleWhen,omitempty"`
}

// RescheduleWhen selects the changes that cause rescheduling. A changed taint and a removed member cause rescheduling regardless of the selection.
type RescheduleWhen struct {
	// +kubebuilder:default=true
	// +optional
	PolicyContentChanged bool `json:"policyContentChanged"`
	// +kubebuilder:default=false
	// +optional
	ClusterJoined bool `json:"clusterJoined"`
	// +kubebuilder:default=false
	// +optional
	ClusterLabelsChanged bool `json:"clusterLabelsChanged"`
	// +kubebuilder:default=false
	// +optional
	ClusterAPIResourcesChanged bool `json:"clusterAPIResourcesChanged"`
}

// PropagationPolicyStatus reports how many objects use a policy.
type PropagationPolicyStatus struct {
	// +kubebuilder:validation:Minimum=0
	// +optional
	RefCount int64 `json:"refCount,omitempty"`
}

// Affinity is the value of an object's affinity annotation. It replaces the policy's affinity.
type Affinity struct {
	ClusterAffinity ClusterAffinity `json:"clusterAffinity"`
}

// ClusterAffinity has the required and the preferred terms.
type ClusterAffinity struct {
	Required  *ClusterSelector          `json:"requiredDuringSchedulingIgnoredDuringExecution,omitempty"`
	Preferred []PreferredSchedulingTerm `json:"preferredDuringSchedulingIgnoredDuringExecution,omitempty"`
}

// ClusterSelector has terms. A cluster must match at least one of them.
type ClusterSelector struct {
	ClusterSelectorTerms []ClusterSelectorTerm `json:"clusterSelectorTerms"`
}

// PreferredSchedulingTerm adds its weight to the affinity score of clusters that match. The scheduler scales this score to at most 100.
type PreferredSchedulingTerm struct {
	Weight     int32               `json:"weight"`
	Preference ClusterSelectorTerm `json:"preference"`
}

// ClustersToAdopt is the value of [ClustersToAdoptAnnotation]. It selects the members on which the control plane may take over a pre-existing object. The
// regular expression is not anchored.
type ClustersToAdopt struct {
	Clusters []string `json:"clusters,omitempty"`
	Regexp   string   `json:"regexp,omitempty"`
}
