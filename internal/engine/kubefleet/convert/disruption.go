package convert

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/disruption"
)

// FromBudget encodes a disruption budget.
func FromBudget(b disruption.Budget) v1beta1.DisruptionBudgetSpec {
	return v1beta1.DisruptionBudgetSpec{MaxUnavailable: fromCount(b.MaxUnavailable), MinAvailable: fromCount(b.MinAvailable)}
}

// ToBudget decodes a disruption budget. A hub fills in no defaults.
func ToBudget(s v1beta1.DisruptionBudgetSpec) disruption.Budget {
	return disruption.Budget{MaxUnavailable: toCount(s.MaxUnavailable), MinAvailable: toCount(s.MinAvailable)}
}

// BudgetAsWritten does the same as [PlacementAsWritten] for a disruption budget.
func BudgetAsWritten(stored, written disruption.Budget) (disruption.Budget, error) {
	canonical := func(b disruption.Budget) disruption.Budget { return ToBudget(FromBudget(b)) }
	return asWritten(stored, written, canonical, func(b disruption.Budget) disruption.Budget { return b })
}
