package engine

import "context"

// Lists lists the contents of a fleet.
type Lists interface {
	// List returns references to everything in a collection, sorted by namespace and name. It returns a [LimitationError] if the engine does not have the
	// collection, or does not support the filter.
	List(ctx context.Context, of Collection, filter Filter) (*List, error)
}

// Collection is the set of all things of one type in an engine. It includes things that the provider did not create.
type Collection string

// The collections.
const (
	AllMembers              Collection = "member clusters"
	AllPlacements           Collection = "placements"
	AllNamespacedPlacements Collection = "placements in namespaces"
	AllEnvelopes            Collection = "envelopes"
	AllClusterOverrides     Collection = "cluster resource overrides"
	AllOverrides            Collection = "resource overrides"
	AllUpdateStrategies     Collection = "staged update strategies"
	AllUpdateRuns           Collection = "staged update runs"
	AllDisruptionBudgets    Collection = "disruption budgets"
)

// Values lists the values.
func (Collection) Values() []string {
	return []string{
		string(AllMembers), string(AllPlacements), string(AllNamespacedPlacements), string(AllEnvelopes), string(AllClusterOverrides), string(AllOverrides),
		string(AllUpdateStrategies), string(AllUpdateRuns), string(AllDisruptionBudgets),
	}
}

// Filter selects things; the zero value selects all.
type Filter struct {
	// Namespace is the namespace of the things. It excludes cluster-scoped things of a kind that has both scopes.
	Namespace string
	// LabelSelector is a label selector in kubectl's syntax.
	LabelSelector string
}

// List is the result of listing a collection.
type List struct {
	Found []Reference
	// Missed are the clusters that could not be read, with the reasons.
	Missed []MissedCluster
}

// MissedCluster is a cluster that could not be read.
type MissedCluster struct {
	Cluster string
	Err     error
}
