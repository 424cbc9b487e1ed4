package placement

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Spec is the desired placement. JSON names are those of the CRD. Omitted fields are zero; an empty list that the user wrote differs from an
// omitted one.
type Spec struct {
	ResourceSelectors    []ResourceSelector `json:"resourceSelectors,omitzero"`
	Policy               *Policy            `json:"policy,omitempty"`
	Strategy             *Strategy          `json:"strategy,omitempty"`
	RevisionHistoryLimit *int32             `json:"revisionHistoryLimit,omitempty"`
	StatusReportingScope ReportingScope     `json:"statusReportingScope,omitempty"`
}

// ResourceSelector selects objects of one kind by name or by label, or all objects of the kind.
type ResourceSelector struct {
	Group          string                `json:"group"`
	Version        string                `json:"version"`
	Kind           string                `json:"kind"`
	Name           string                `json:"name,omitempty"`
	LabelSelector  *metav1.LabelSelector `json:"labelSelector,omitempty"`
	SelectionScope SelectionScope        `json:"selectionScope,omitempty"`
}

// Policy selects the clusters.
type Policy struct {
	PlacementType             PlacementType              `json:"placementType,omitempty"`
	ClusterNames              []string                   `json:"clusterNames,omitzero"`
	NumberOfClusters          *int32                     `json:"numberOfClusters,omitempty"`
	Affinity                  *Affinity                  `json:"affinity,omitempty"`
	TopologySpreadConstraints []TopologySpreadConstraint `json:"topologySpreadConstraints,omitzero"`
	Tolerations               []Toleration               `json:"tolerations,omitzero"`
}

// Affinity holds the cluster affinity.
type Affinity struct {
	ClusterAffinity *ClusterAffinity `json:"clusterAffinity,omitempty"`
}

// ClusterAffinity holds the required and the preferred terms for clusters.
type ClusterAffinity struct {
	Required  *ClusterSelector           `json:"requiredDuringSchedulingIgnoredDuringExecution,omitempty"`
	Preferred []PreferredClusterSelector `json:"preferredDuringSchedulingIgnoredDuringExecution,omitzero"`
}

// ClusterSelector is a list of terms; a cluster matches if it matches one of them.
type ClusterSelector struct {
	ClusterSelectorTerms []ClusterSelectorTerm `json:"clusterSelectorTerms"`
}

// ClusterSelectorTerm matches when each of its parts does.
type ClusterSelectorTerm struct {
	LabelSelector    *metav1.LabelSelector `json:"labelSelector,omitempty"`
	PropertySelector *PropertySelector     `json:"propertySelector,omitempty"`
	PropertySorter   *PropertySorter       `json:"propertySorter,omitempty"`
}

// PropertySelector compares properties of a cluster; all expressions must hold.
type PropertySelector struct {
	MatchExpressions []PropertyExpression `json:"matchExpressions"`
}

// PropertyExpression compares one property, read as a quantity, with one value.
type PropertyExpression struct {
	Name     string           `json:"name"`
	Operator PropertyOperator `json:"operator"`
	Values   []string         `json:"values"`
}

// PropertySorter ranks clusters by a property.
type PropertySorter struct {
	Name      string    `json:"name"`
	SortOrder SortOrder `json:"sortOrder"`
}

// PreferredClusterSelector adds its weight, -100 to 100, to the score of clusters that match. With a sorter, it adds a share of the weight.
type PreferredClusterSelector struct {
	Weight     int32               `json:"weight"`
	Preference ClusterSelectorTerm `json:"preference"`
}

// TopologySpreadConstraint limits how unevenly the picked clusters are spread over the values of a label.
type TopologySpreadConstraint struct {
	MaxSkew           *int32            `json:"maxSkew,omitempty"`
	TopologyKey       string            `json:"topologyKey"`
	WhenUnsatisfiable WhenUnsatisfiable `json:"whenUnsatisfiable,omitempty"`
}

// Toleration allows a placement on clusters with a taint.
type Toleration struct {
	Key      string             `json:"key,omitempty"`
	Operator TolerationOperator `json:"operator,omitempty"`
	Value    string             `json:"value,omitempty"`
	Effect   TaintEffect        `json:"effect,omitempty"`
}

// Strategy controls how changes are applied to the clusters.
type Strategy struct {
	Type               StrategyType        `json:"type,omitempty"`
	RollingUpdate      *RollingUpdate      `json:"rollingUpdate,omitempty"`
	ApplyStrategy      *ApplyStrategy      `json:"applyStrategy,omitempty"`
	DeleteStrategy     *DeleteStrategy     `json:"deleteStrategy,omitempty"`
	ReportBackStrategy *ReportBackStrategy `json:"reportBackStrategy,omitempty"`
}

// RollingUpdate limits how many clusters change at the same time. MaxUnavailable and MaxSurge are an integer or a percentage, as text.
type RollingUpdate struct {
	MaxUnavailable           string `json:"maxUnavailable,omitempty"`
	MaxSurge                 string `json:"maxSurge,omitempty"`
	UnavailablePeriodSeconds *int64 `json:"unavailablePeriodSeconds,omitempty"`
}

// ApplyStrategy controls how an object is applied and when a pre-existing object is taken over.
type ApplyStrategy struct {
	Type                  ApplyType              `json:"type,omitempty"`
	ComparisonOption      ComparisonOption       `json:"comparisonOption,omitempty"`
	WhenToApply           WhenToApply            `json:"whenToApply,omitempty"`
	WhenToTakeOver        WhenToTakeOver         `json:"whenToTakeOver,omitempty"`
	AllowCoOwnership      *bool                  `json:"allowCoOwnership,omitempty"`
	ServerSideApplyConfig *ServerSideApplyConfig `json:"serverSideApplyConfig,omitempty"`
}

// ServerSideApplyConfig is only valid with server-side apply.
type ServerSideApplyConfig struct {
	Force *bool `json:"force,omitempty"`
}

// DeleteStrategy controls what happens to objects that are no longer placed; see [DeletePropagation] and [DeleteContents].
type DeleteStrategy struct {
	PropagationPolicy DeletePropagation `json:"propagationPolicy,omitempty"`
	// Contents is not in the CRD.
	Contents DeleteContents `json:"contents,omitempty"`
}

// ReportBackStrategy controls whether the status of members' objects is copied back.
type ReportBackStrategy struct {
	Type        ReportBackType        `json:"type,omitempty"`
	Destination ReportBackDestination `json:"destination,omitempty"`
}
