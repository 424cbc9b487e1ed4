package placement

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/labelselector"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/wholenumber"
)

// Base is the Terraform representation of the attributes that placements of all kinds have.
type Base struct {
	Choice
	RevisionHistoryLimit wholenumber.Value `tfsdk:"revision_history_limit"`
	OnTakeoverConflict   types.String      `tfsdk:"on_takeover_conflict"`
	ExpectedPreview      types.String      `tfsdk:"expected_preview"`
	HandOver
	Wait           types.Object   `tfsdk:"wait"`
	Timeouts       timeouts.Value `tfsdk:"timeouts"`
	Phase          types.String   `tfsdk:"phase"`
	Problems       types.String   `tfsdk:"problems"`
	PlannedChanges types.String   `tfsdk:"planned_changes"`
}

// Model is the placement that the operations work on. For a placement in a namespace, only Base and Namespace are set.
type Model struct {
	Base
	// Namespace is null for a placement without a namespace.
	Namespace            types.String `tfsdk:"-"`
	Manifests            types.Map    `tfsdk:"manifests"`
	IgnoreFields         types.List   `tfsdk:"ignore_fields"`
	StatusReportingScope types.String `tfsdk:"status_reporting_scope"`
	ManifestsWO          types.Map    `tfsdk:"manifests_wo"`
	ManifestDigests      types.Map    `tfsdk:"manifest_digests"`
}

// Reference returns the reference to the placement. The name must be known.
func (m Model) Reference() engine.Reference {
	return engine.Reference{Namespace: m.Namespace.ValueString(), Name: m.Name.ValueString()}
}

func (m Model) key() string { return m.Reference().String() }

// title returns the quoted name of the placement for texts. The name may be unknown.
func (m Model) title() string {
	if m.isUnnamed() || !m.isNamespaced() {
		return m.Name.String()
	}
	return types.StringValue(m.key()).String()
}

func (m Model) isUnnamed() bool { return m.Name.IsUnknown() || m.Namespace.IsUnknown() }

func (m Model) isNamespaced() bool { return !m.Namespace.IsNull() }

func (m Model) arguments() Arguments {
	return Arguments{Choice: m.Choice, Manifests: m.Manifests, IgnoreFields: m.IgnoreFields}
}

// Expand converts the model to values of the domain. Everything must be known.
func (m Model) Expand(ctx context.Context, diags *diag.Diagnostics) (domain.Spec, map[string]string) {
	spec, manifests := m.arguments().Expand(ctx, diags)
	spec.RevisionHistoryLimit = m.RevisionHistoryLimit.ValueInt32Pointer()
	spec.StatusReportingScope = domain.ReportingScope(m.StatusReportingScope.ValueString())
	return spec, manifests
}

func (m *Model) setSpec(ctx context.Context, spec domain.Spec, manifests map[string]string, diags *diag.Diagnostics) {
	arguments := m.arguments()
	arguments.set(ctx, spec, manifests, diags)
	m.Choice, m.Manifests = arguments.Choice, arguments.Manifests
	m.RevisionHistoryLimit = wholenumber.FromPointer(spec.RevisionHistoryLimit)
	m.StatusReportingScope = convert.String(spec.StatusReportingScope)
}

type selectorModel struct {
	Group          string                 `tfsdk:"group"`
	Version        string                 `tfsdk:"version"`
	Kind           string                 `tfsdk:"kind"`
	Name           *string                `tfsdk:"name"`
	LabelSelector  *labelselector.Model   `tfsdk:"label_selector"`
	SelectionScope *domain.SelectionScope `tfsdk:"selection_scope"`
}

type policyModel struct {
	PlacementType             *domain.PlacementType `tfsdk:"placement_type"`
	ClusterNames              []string              `tfsdk:"cluster_names"`
	NumberOfClusters          *int32                `tfsdk:"number_of_clusters"`
	Affinity                  *affinityModel        `tfsdk:"affinity"`
	TopologySpreadConstraints []spreadModel         `tfsdk:"topology_spread_constraints"`
	Tolerations               []tolerationModel     `tfsdk:"tolerations"`
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
	LabelSelector    *labelselector.Model `tfsdk:"label_selector"`
	PropertySelector *PropertySelector    `tfsdk:"property_selector"`
	PropertySorter   *propertySorterModel `tfsdk:"property_sorter"`
}

// PropertySelector is the Terraform representation of a property selector.
type PropertySelector struct {
	MatchExpressions []propertyExpressionModel `tfsdk:"match_expressions"`
}

type propertyExpressionModel struct {
	Name     string                  `tfsdk:"name"`
	Operator domain.PropertyOperator `tfsdk:"operator"`
	Values   []string                `tfsdk:"values"`
}

type propertySorterModel struct {
	Name      string           `tfsdk:"name"`
	SortOrder domain.SortOrder `tfsdk:"sort_order"`
}

type preferredModel struct {
	Weight     int32     `tfsdk:"weight"`
	Preference termModel `tfsdk:"preference"`
}

type spreadModel struct {
	MaxSkew           *int32                    `tfsdk:"max_skew"`
	TopologyKey       string                    `tfsdk:"topology_key"`
	WhenUnsatisfiable *domain.WhenUnsatisfiable `tfsdk:"when_unsatisfiable"`
}

type tolerationModel struct {
	Key      *string                    `tfsdk:"key"`
	Operator *domain.TolerationOperator `tfsdk:"operator"`
	Value    *string                    `tfsdk:"value"`
	Effect   *domain.TaintEffect        `tfsdk:"effect"`
}

type strategyModel struct {
	Type               *domain.StrategyType `tfsdk:"type"`
	RollingUpdate      *rollingUpdateModel  `tfsdk:"rolling_update"`
	ApplyStrategy      *applyStrategyModel  `tfsdk:"apply_strategy"`
	DeleteStrategy     *deleteModel         `tfsdk:"delete_strategy"`
	ReportBackStrategy *reportBackModel     `tfsdk:"report_back_strategy"`
}

type rollingUpdateModel struct {
	MaxUnavailable           *string `tfsdk:"max_unavailable"`
	MaxSurge                 *string `tfsdk:"max_surge"`
	UnavailablePeriodSeconds *int64  `tfsdk:"unavailable_period_seconds"`
}

type applyStrategyModel struct {
	Type                  *domain.ApplyType      `tfsdk:"type"`
	ComparisonOption      *string                `tfsdk:"comparison_option"`
	WhenToApply           *domain.WhenToApply    `tfsdk:"when_to_apply"`
	WhenToTakeOver        *domain.WhenToTakeOver `tfsdk:"when_to_take_over"`
	AllowCoOwnership      *bool                  `tfsdk:"allow_co_ownership"`
	ServerSideApplyConfig *serverSideModel       `tfsdk:"server_side_apply_config"`
}

type serverSideModel struct {
	Force *bool `tfsdk:"force"`
}

type deleteModel struct {
	PropagationPolicy *domain.DeletePropagation `tfsdk:"propagation_policy"`
	Contents          *domain.DeleteContents    `tfsdk:"contents"`
}

type reportBackModel struct {
	Type        *domain.ReportBackType        `tfsdk:"type"`
	Destination *domain.ReportBackDestination `tfsdk:"destination"`
}

type waitModel struct {
	Until     *WaitUntil `tfsdk:"until"`
	OnFailure *Severity  `tfsdk:"on_failure"`
}
