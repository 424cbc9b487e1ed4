package crp

import (
	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// model is the resource as Terraform has it. The parts of the spec are kept as framework values, because any of them can be unknown; the
// types below are what they are read into once they are known.
type model struct {
	Name                 types.String   `tfsdk:"name"`
	ResourceSelectors    types.List     `tfsdk:"resource_selectors"`
	Manifests            types.Map      `tfsdk:"manifests"`
	Policy               types.Object   `tfsdk:"policy"`
	Strategy             types.Object   `tfsdk:"strategy"`
	RevisionHistoryLimit types.Int32    `tfsdk:"revision_history_limit"`
	StatusReportingScope types.String   `tfsdk:"status_reporting_scope"`
	OnTakeoverConflict   types.String   `tfsdk:"on_takeover_conflict"`
	ExpectedPreview      types.String   `tfsdk:"expected_preview"`
	Wait                 types.Object   `tfsdk:"wait"`
	Timeouts             timeouts.Value `tfsdk:"timeouts"`
	Status               types.Object   `tfsdk:"status"`
}

type selectorModel struct {
	Group          string              `tfsdk:"group"`
	Version        string              `tfsdk:"version"`
	Kind           string              `tfsdk:"kind"`
	Name           *string             `tfsdk:"name"`
	LabelSelector  *labelSelectorModel `tfsdk:"label_selector"`
	SelectionScope *string             `tfsdk:"selection_scope"`
}

type labelSelectorModel struct {
	MatchLabels      map[string]string `tfsdk:"match_labels"`
	MatchExpressions []expressionModel `tfsdk:"match_expressions"`
}

type expressionModel struct {
	Key      string   `tfsdk:"key"`
	Operator string   `tfsdk:"operator"`
	Values   []string `tfsdk:"values"`
}

type policyModel struct {
	PlacementType             *string           `tfsdk:"placement_type"`
	ClusterNames              []string          `tfsdk:"cluster_names"`
	NumberOfClusters          *int32            `tfsdk:"number_of_clusters"`
	Affinity                  *affinityModel    `tfsdk:"affinity"`
	TopologySpreadConstraints []spreadModel     `tfsdk:"topology_spread_constraints"`
	Tolerations               []tolerationModel `tfsdk:"tolerations"`
}

type affinityModel struct {
	ClusterAffinity *clusterAffinityModel `tfsdk:"cluster_affinity"`
}

type clusterAffinityModel struct {
	Required  *clusterSelectorModel `tfsdk:"required_during_scheduling_ignored_during_execution"`
	Preferred []preferredModel      `tfsdk:"preferred_during_scheduling_ignored_during_execution"`
}

type clusterSelectorModel struct {
	ClusterSelectorTerms []termModel `tfsdk:"cluster_selector_terms"`
}

type termModel struct {
	LabelSelector    *labelSelectorModel    `tfsdk:"label_selector"`
	PropertySelector *propertySelectorModel `tfsdk:"property_selector"`
	PropertySorter   *propertySorterModel   `tfsdk:"property_sorter"`
}

type propertySelectorModel struct {
	MatchExpressions []propertyExpressionModel `tfsdk:"match_expressions"`
}

type propertyExpressionModel struct {
	Name     string   `tfsdk:"name"`
	Operator string   `tfsdk:"operator"`
	Values   []string `tfsdk:"values"`
}

type propertySorterModel struct {
	Name      string `tfsdk:"name"`
	SortOrder string `tfsdk:"sort_order"`
}

type preferredModel struct {
	Weight     int32     `tfsdk:"weight"`
	Preference termModel `tfsdk:"preference"`
}

type spreadModel struct {
	MaxSkew           *int32  `tfsdk:"max_skew"`
	TopologyKey       string  `tfsdk:"topology_key"`
	WhenUnsatisfiable *string `tfsdk:"when_unsatisfiable"`
}

type tolerationModel struct {
	Key      *string `tfsdk:"key"`
	Operator *string `tfsdk:"operator"`
	Value    *string `tfsdk:"value"`
	Effect   *string `tfsdk:"effect"`
}

type strategyModel struct {
	Type               *string             `tfsdk:"type"`
	RollingUpdate      *rollingUpdateModel `tfsdk:"rolling_update"`
	ApplyStrategy      *applyStrategyModel `tfsdk:"apply_strategy"`
	DeleteStrategy     *deleteModel        `tfsdk:"delete_strategy"`
	ReportBackStrategy *reportBackModel    `tfsdk:"report_back_strategy"`
}

type rollingUpdateModel struct {
	MaxUnavailable           *string `tfsdk:"max_unavailable"`
	MaxSurge                 *string `tfsdk:"max_surge"`
	UnavailablePeriodSeconds *int64  `tfsdk:"unavailable_period_seconds"`
}

type applyStrategyModel struct {
	Type                  *string          `tfsdk:"type"`
	ComparisonOption      *string          `tfsdk:"comparison_option"`
	WhenToApply           *string          `tfsdk:"when_to_apply"`
	WhenToTakeOver        *string          `tfsdk:"when_to_take_over"`
	AllowCoOwnership      *bool            `tfsdk:"allow_co_ownership"`
	ServerSideApplyConfig *serverSideModel `tfsdk:"server_side_apply_config"`
}

type serverSideModel struct {
	Force *bool `tfsdk:"force"`
}

type deleteModel struct {
	PropagationPolicy *string `tfsdk:"propagation_policy"`
}

type reportBackModel struct {
	Type        *string `tfsdk:"type"`
	Destination *string `tfsdk:"destination"`
}

type waitModel struct {
	Until     *string `tfsdk:"until"`
	OnFailure *string `tfsdk:"on_failure"`
}
