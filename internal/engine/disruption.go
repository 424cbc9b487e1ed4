package engine

import (
	"context"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/disruption"
)

// Disruptions take placements off clusters, as far as their budgets allow it.
type Disruptions interface {
	// CheckDisruptions tells why the engine has none.
	CheckDisruptions() []Limitation
	// DisruptionsServed is a [NotServedError] if the hub has neither evictions nor budgets.
	DisruptionsServed(ctx context.Context) error
	// ApplyDisruptionBudget writes the budget of the placement of that name, and returns the recorded budget. A new one must not exist yet.
	ApplyDisruptionBudget(ctx context.Context, b DisruptionBudget, prior *DisruptionBudget) (DisruptionBudget, error)
	// ReadDisruptionBudget returns a budget as it is, or [ErrNotFound].
	ReadDisruptionBudget(ctx context.Context, name string, prior *DisruptionBudget) (DisruptionBudget, error)
	// DeleteDisruptionBudget removes a budget. One that is gone is no error.
	DeleteDisruptionBudget(ctx context.Context, prior DisruptionBudget) error
	// Evict removes a placement from a cluster and returns when the cluster is clean. One that is not allowed is an *[EvictionError].
	Evict(ctx context.Context, e Eviction) error
}

// DisruptionBudget is a budget by its name, which is that of its placement.
type DisruptionBudget struct {
	Name string
	// UID is that of the object on a hub as it was read or written last; "" if it is not known. Another object of the name is neither changed nor deleted.
	UID  string
	Spec disruption.Budget
}

// Eviction is a placement that is to leave a cluster.
type Eviction struct {
	Placement, Cluster string
	Progress           func(message string)
}

// EvictionError says that a hub has refused an eviction.
type EvictionError struct {
	// Invalid says that there is nothing to evict, rather than that it is not allowed.
	Invalid bool
	// Message is the hub's.
	Message string
}

func (e *EvictionError) Error() string {
	if e.Invalid {
		return "there is nothing to evict, says the hub: " + e.Message
	}
	return "the eviction was not allowed, and nothing was removed: " + e.Message
}
