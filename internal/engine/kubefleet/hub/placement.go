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

// Kinds are the kind of a placement of one scope, and the kinds of the objects that the hub creates for it. The kinds of both scopes have the same fields.
// Objects of both scopes are decoded into the types of the cluster-scoped kinds.
type Kinds struct {
	Placement, PolicySnapshot, ResourceSnapshot, Binding schema.GroupKind
}

// These are the kinds of both scopes. The namespaced ones are ResourcePlacement and its dependents.
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

// KindsOf returns the namespaced kinds for a reference with a namespace, and the cluster-scoped kinds otherwise.
func KindsOf(placement engine.Reference) Kinds {
	if placement.Namespace != "" {
		return inNamespace
	}
	return clusterScoped
}

// OfPlacement returns the label selector for the objects that the hub creates for a placement. These objects are cluster-scoped for a cluster-scoped placement,
// and in the namespace of a namespaced placement. For Works, use [WorksOf].
func OfPlacement(placement engine.Reference) string {
	return wire.PlacementLabel + "=" + placement.Name
}

// WorksOf returns the label selector for the Works of a placement. The selector distinguishes the namespaces of placements, because placements with the same
// name have their Works in the same namespaces.
func WorksOf(placement engine.Reference) string {
	if placement.Namespace == "" {
		return OfPlacement(placement) + ",!" + wire.PlacementNamespaceLabel
	}
	return OfPlacement(placement) + "," + wire.PlacementNamespaceLabel + "=" + placement.Namespace
}

// Placement reads a placement. It returns nil if there is none.
func Placement(
	ctx context.Context, hub *kube.Cluster, placement engine.Reference,
) (*wire.ClusterResourcePlacement, *unstructured.Unstructured, error) {
	return Get[wire.ClusterResourcePlacement](ctx, hub, KindsOf(placement).Placement, placement.Namespace, placement.Name)
}

// Exists returns the [*engine.ExistsError] for an object that should be created but already exists.
func Exists(kind schema.GroupKind, reference engine.Reference) error {
	return &engine.ExistsError{What: fmt.Sprintf("The %s %q", kind.Kind, reference), Where: "the hub", Import: reference.String()}
}

// Kinds of evictions and of disruption budgets. Both are for cluster-scoped placements only.
var (
	Eviction         = kindOf(wire.GroupVersion, wire.ClusterResourcePlacementEvictionKind)
	DisruptionBudget = kindOf(wire.GroupVersion, wire.ClusterResourcePlacementDisruptionBudgetKind)
)

// StagedKinds are the kinds of staged updates of placements of one scope. The kinds of both scopes have the same fields.
type StagedKinds struct {
	Strategy, Run, Approval schema.GroupKind
}

// StagedKindsOf returns the namespaced kinds for a reference with a namespace, and the cluster-scoped kinds otherwise.
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
