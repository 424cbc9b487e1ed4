package placement

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// The enumerations of the CRD, in its spelling, and DeleteContents, which the CRD does not have. Each has a Values method for validators and documentation.
type (
	// PlacementType is the way clusters are picked.
	PlacementType string
	// SelectionScope selects the objects that a Namespace selector includes.
	SelectionScope string
	// StrategyType selects what controls a rollout.
	StrategyType string
	// ApplyType is the way an object is applied.
	ApplyType string
	// ComparisonOption selects the fields that count as a difference.
	ComparisonOption string
	// WhenToApply decides whether drifted objects are overwritten.
	WhenToApply string
	// WhenToTakeOver decides whether a pre-existing object is taken over.
	WhenToTakeOver string
	// DeletePropagation decides whether objects that are no longer placed are deleted. KubeFleet's hub uses it only when the placement is deleted.
	DeletePropagation string
	// DeleteContents decides whether a Namespace or CustomResourceDefinition is deleted although objects of others would be deleted with it.
	DeleteContents string
	// PropertyOperator compares a property of a cluster with a value.
	PropertyOperator string
	// SortOrder selects whether high or low values of a property are preferred.
	SortOrder string
	// WhenUnsatisfiable decides what happens if a topology spread constraint cannot be met.
	WhenUnsatisfiable string
	// TolerationOperator is how a toleration matches the value of a taint.
	TolerationOperator string
	// TaintEffect is the effect of a taint on placements.
	TaintEffect string
	// LabelOperator is the API machinery's operator for label selectors, with a Values method.
	LabelOperator metav1.LabelSelectorOperator
	// ReportingScope selects where a hub writes the status.
	ReportingScope string
	// ReportBackType decides whether the status of members' objects is copied back.
	ReportBackType string
	// ReportBackDestination is where the status is copied to.
	ReportBackDestination string
)

const (
	PickAll   PlacementType = "PickAll"
	PickN     PlacementType = "PickN"
	PickFixed PlacementType = "PickFixed"

	NamespaceOnly                  SelectionScope = "NamespaceOnly"
	NamespaceWithResources         SelectionScope = "NamespaceWithResources"
	NamespaceWithResourceSelectors SelectionScope = "NamespaceWithResourceSelectors"

	RollingUpdateStrategy StrategyType = "RollingUpdate"
	ExternalStrategy      StrategyType = "External"

	ClientSideApply ApplyType = "ClientSideApply"
	ServerSideApply ApplyType = "ServerSideApply"
	ReportDiff      ApplyType = "ReportDiff"

	PartialComparison ComparisonOption = "PartialComparison"
	FullComparison    ComparisonOption = "FullComparison"

	ApplyAlways       WhenToApply = "Always"
	ApplyIfNotDrifted WhenToApply = "IfNotDrifted"

	TakeOverAlways   WhenToTakeOver = "Always"
	TakeOverIfNoDiff WhenToTakeOver = "IfNoDiff"
	TakeOverNever    WhenToTakeOver = "Never"

	DeleteObjects  DeletePropagation = "Delete"
	AbandonObjects DeletePropagation = "Abandon"

	KeepContents DeleteContents = "Keep"
	TakeContents DeleteContents = "Delete"

	GreaterThan    PropertyOperator = "Gt"
	GreaterOrEqual PropertyOperator = "Ge"
	EqualTo        PropertyOperator = "Eq"
	NotEqualTo     PropertyOperator = "Ne"
	LessThan       PropertyOperator = "Lt"
	LessOrEqual    PropertyOperator = "Le"

	Ascending  SortOrder = "Ascending"
	Descending SortOrder = "Descending"

	DoNotSchedule  WhenUnsatisfiable = "DoNotSchedule"
	ScheduleAnyway WhenUnsatisfiable = "ScheduleAnyway"

	NoSchedule TaintEffect = "NoSchedule"

	TolerationEqual  TolerationOperator = "Equal"
	TolerationExists TolerationOperator = "Exists"

	ClusterScopeOnly    ReportingScope = "ClusterScopeOnly"
	NamespaceAccessible ReportingScope = "NamespaceAccessible"

	ReportBackDisabled ReportBackType = "Disabled"
	ReportBackMirror   ReportBackType = "Mirror"

	OriginalResource ReportBackDestination = "OriginalResource"
	WorkAPI          ReportBackDestination = "WorkAPI"
)

// Values lists the values in the order in which they are documented.
func (PlacementType) Values() []string { return []string{"PickAll", "PickN", "PickFixed"} }

// Values lists the values in the order in which they are documented.
func (SelectionScope) Values() []string {
	return []string{"NamespaceWithResources", "NamespaceOnly", "NamespaceWithResourceSelectors"}
}

// Values lists the values in the order in which they are documented.
func (StrategyType) Values() []string { return []string{"RollingUpdate", "External"} }

// Values lists the values in the order in which they are documented.
func (ApplyType) Values() []string {
	return []string{"ClientSideApply", "ServerSideApply", "ReportDiff"}
}

// Values lists the values in the order in which they are documented.
func (ComparisonOption) Values() []string { return []string{"PartialComparison", "FullComparison"} }

// Values lists the values in the order in which they are documented.
func (WhenToApply) Values() []string { return []string{"Always", "IfNotDrifted"} }

// Values lists the values in the order in which they are documented.
func (WhenToTakeOver) Values() []string { return []string{"Always", "IfNoDiff", "Never"} }

// Values lists the values in the order in which they are documented.
func (DeletePropagation) Values() []string { return []string{"Delete", "Abandon"} }

// Values lists the values in the order in which they are documented.
func (DeleteContents) Values() []string { return []string{"Keep", "Delete"} }

// Values lists the values in the order in which they are documented.
func (PropertyOperator) Values() []string { return []string{"Gt", "Ge", "Eq", "Ne", "Lt", "Le"} }

// Values lists the values in the order in which they are documented.
func (SortOrder) Values() []string { return []string{"Ascending", "Descending"} }

// Values lists the values in the order in which they are documented.
func (WhenUnsatisfiable) Values() []string { return []string{"DoNotSchedule", "ScheduleAnyway"} }

// Values lists the values in the order in which they are documented.
func (TaintEffect) Values() []string { return []string{"NoSchedule"} }

// Values lists the values in the order in which they are documented.
func (TolerationOperator) Values() []string { return []string{"Equal", "Exists"} }

// Values lists the values in the order in which they are documented.
func (LabelOperator) Values() []string { return []string{"In", "NotIn", "Exists", "DoesNotExist"} }

// Values lists the values in the order in which they are documented.
func (ReportingScope) Values() []string { return []string{"ClusterScopeOnly", "NamespaceAccessible"} }

// Values lists the values in the order in which they are documented.
func (ReportBackType) Values() []string { return []string{"Disabled", "Mirror"} }

// Values lists the values in the order in which they are documented.
func (ReportBackDestination) Values() []string { return []string{"OriginalResource", "WorkAPI"} }
