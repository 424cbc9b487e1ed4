package engine

import "context"

// Lists finds what is in a fleet.
type Lists interface {
	// List returns what a collection has, sorted by namespace and name. An engine that has no such collection, or cannot tell what is in it by what the
	// filter asks for, returns a [LimitationError].
	List(ctx context.Context, of Collection, filter Filter) (*List, error)
}

// Collection is all things of a type that an engine keeps, whoever has made them.
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

// Filter says which of the things are looked for; empty for all.
type Filter struct {
	// Namespace is that of the things. Of a kind that is in namespaces or in none, those in none are left out.
	Namespace string
	// LabelSelector is written as kubectl takes it.
	LabelSelector string
}

// List is what a collection has.
type List struct {
	Found []Reference
	// Missed are the clusters that could not be asked, and why.
	Missed []MissedCluster
}

// MissedCluster is a cluster that could not be asked.
type MissedCluster struct {
	Cluster string
	Err     error
}
