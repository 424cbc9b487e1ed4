package hub

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Kinds are the kinds of a placement of one scope and of what the hub keeps of it, in the same namespace or in none. Those of both scopes have
// the same fields: what is read of them is in the types of the cluster-scoped ones.
type Kinds struct {
	Placement, PolicySnapshot, ResourceSnapshot, Binding schema.GroupKind
}

// Kinds that the provider reads. Those in namespaces are ResourcePlacement and its own.
var (
	ClusterPlacement = kindOf(wire.GroupVersion, wire.ClusterResourcePlacementKind)
	PolicySnapshot   = kindOf(wire.GroupVersion, wire.ClusterSchedulingPolicySnapshotKind)
	ResourceSnapshot = kindOf(wire.GroupVersion, wire.ClusterResourceSnapshotKind)
	Binding          = kindOf(wire.GroupVersion, wire.ClusterResourceBindingKind)

	clusterScoped = Kinds{Placement: ClusterPlacement, PolicySnapshot: PolicySnapshot, ResourceSnapshot: ResourceSnapshot, Binding: Binding}
	inNamespace   = Kinds{
		Placement:        kindOf(wire.GroupVersion, wire.ResourcePlacementKind),
		PolicySnapshot:   kindOf(wire.GroupVersion, wire.SchedulingPolicySnapshotKind),
		ResourceSnapshot: kindOf(wire.GroupVersion, wire.ResourceSnapshotKind),
		Binding:          kindOf(wire.GroupVersion, wire.ResourceBindingKind),
	}
)

// KindsOf are the kinds of a placement: of a ResourcePlacement if it is in a namespace, of a ClusterResourcePlacement otherwise.
func KindsOf(placement engine.Reference) Kinds {
	if placement.Namespace != "" {
		return inNamespace
	}
	return clusterScoped
}

// OfPlacement selects what the hub keeps of a placement in the placement's own namespace.
func OfPlacement(placement engine.Reference) string {
	return wire.PlacementLabel + "=" + placement.Name
}

// WorksOf selects the Works of a placement. Those of two placements of one name, in a namespace and in none, are side by side.
func WorksOf(placement engine.Reference) string {
	if placement.Namespace == "" {
		return OfPlacement(placement) + ",!" + wire.PlacementNamespaceLabel
	}
	return OfPlacement(placement) + "," + wire.PlacementNamespaceLabel + "=" + placement.Namespace
}

// Placement reads a placement; nil if there is none.
func Placement(
	ctx context.Context, hub *kube.Cluster, placement engine.Reference,
) (*wire.ClusterResourcePlacement, *unstructured.Unstructured, error) {
	return Get[wire.ClusterResourcePlacement](ctx, hub, KindsOf(placement).Placement, placement.Namespace, placement.Name)
}

// Exists is the error of a new object that exists already.
func Exists(kind schema.GroupKind, reference engine.Reference) error {
	return &engine.ExistsError{What: fmt.Sprintf("The %s %q", kind.Kind, reference), Where: "the hub", Import: reference.String()}
}

// Kinds of evictions and of disruption budgets. Both are for cluster-scoped placements only.
var (
	Eviction         = kindOf(wire.GroupVersion, wire.ClusterResourcePlacementEvictionKind)
	DisruptionBudget = kindOf(wire.GroupVersion, wire.ClusterResourcePlacementDisruptionBudgetKind)
)

// StagedKinds are the kinds of staged updates of placements of one scope. Those of both scopes have the same fields.
type StagedKinds struct {
	Strategy, Run, Approval schema.GroupKind
}

// StagedKindsOf returns the kinds in a namespace, or the cluster-scoped ones.
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
