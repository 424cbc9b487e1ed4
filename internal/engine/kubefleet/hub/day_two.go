package hub

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
)

// Kinds of evictions and their budgets, which are of placements in no namespace.
var (
	Eviction         = kindOf(wire.GroupVersion, wire.ClusterResourcePlacementEvictionKind)
	DisruptionBudget = kindOf(wire.GroupVersion, wire.ClusterResourcePlacementDisruptionBudgetKind)
)

// StagedKinds are the kinds of staged updates of placements of one scope. Those of both scopes have the same fields.
type StagedKinds struct {
	Strategy, Run, Approval schema.GroupKind
}

// StagedKindsOf are those in a namespace, or in none.
func StagedKindsOf(reference engine.Reference) StagedKinds {
	if reference.Namespace != "" {
		return StagedKinds{
			Strategy: kindOf(wire.GroupVersion, wire.StagedUpdateStrategyKind), Run: kindOf(wire.GroupVersion, wire.StagedUpdateRunKind),
			Approval: kindOf(wire.GroupVersion, wire.ApprovalRequestKind),
		}
	}
	return StagedKinds{
		Strategy: kindOf(wire.GroupVersion, wire.ClusterStagedUpdateStrategyKind), Run: kindOf(wire.GroupVersion, wire.ClusterStagedUpdateRunKind),
		Approval: kindOf(wire.GroupVersion, wire.ClusterApprovalRequestKind),
	}
}
