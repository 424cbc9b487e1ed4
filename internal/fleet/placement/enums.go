package placement

// The enumerations of the CRD, in its spelling. Each has a Values function, which validators and documentation share.
type (
	// PlacementType is the way clusters are picked.
	PlacementType string
	// SelectionScope says what a Namespace selector brings with it.
	SelectionScope string
	// StrategyType says who drives a rollout.
	StrategyType string
	// ApplyType is the way an object is written.
	ApplyType string
	// ComparisonOption says which fields count as a difference.
	ComparisonOption string
	// WhenToApply says whether drifted objects are overwritten.
	WhenToApply string
	// WhenToTakeOver says what happens to an object that exists already and is not the placement's own.
	WhenToTakeOver string
	// DeletePropagation says what happens to placed objects at the end.
	DeletePropagation string
)

// The values of the enumerations.
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
