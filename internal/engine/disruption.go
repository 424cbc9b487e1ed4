package engine

import (
	"context"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/disruption"
)

// Disruptions manages disruption budgets, and evicts placements from clusters within these budgets.
type Disruptions interface {
	// CheckDisruptions returns the limitations of an engine without disruptions.
	CheckDisruptions() []Limitation
	// DisruptionsServed returns a [NotServedError] if the hub does not serve evictions or budgets.
	DisruptionsServed(ctx context.Context) error
	// ApplyDisruptionBudget writes a budget, and returns the recorded budget. If prior is nil, the budget must not exist yet.
	ApplyDisruptionBudget(ctx context.Context, b DisruptionBudget, prior *DisruptionBudget) (DisruptionBudget, error)
	// ReadDisruptionBudget returns the live budget, or [ErrNotFound].
	ReadDisruptionBudget(ctx context.Context, name string, prior *DisruptionBudget) (DisruptionBudget, error)
	// DeleteDisruptionBudget deletes a budget. It returns nil if the budget does not exist.
	DeleteDisruptionBudget(ctx context.Context, prior DisruptionBudget) error
	// Evict removes a placement from a cluster and waits until the removal is complete. It returns an *[EvictionError] if the hub rejects the eviction.
	Evict(ctx context.Context, e Eviction) error
}

// DisruptionBudget is the disruption budget of the placement with the same name.
type DisruptionBudget struct {
	Name string
	// UID is the UID of the object on the hub at the last read or write; "" if unknown. An object with another UID is neither changed nor deleted.
	UID  string
	Spec disruption.Budget
}

// Eviction is a request to remove a placement from a cluster.
type Eviction struct {
	Placement, Cluster string
	Progress           func(message string)
}

// EvictionError is returned when a hub rejects an eviction.
type EvictionError struct {
	// Invalid means that there is nothing to evict. Otherwise, the eviction is not allowed.
	Invalid bool
	Message string
}

func (e *EvictionError) Error() string {
	if e.Invalid {
		return "the hub has nothing to evict: " + e.Message
	}
	return "the eviction was not allowed, and nothing was removed: " + e.Message
}
