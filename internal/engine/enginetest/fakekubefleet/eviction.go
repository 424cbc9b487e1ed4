package fakekubefleet

import (
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
)

// evict decides about an eviction, once. It does not change an eviction of a placement that does not exist. A hub would reject it; tests of such evictions
// simulate the hub themselves.
func (h *Hub) evict(ctx context.Context, v *view, e wire.ClusterResourcePlacementEviction) (wrote bool, err error) {
	of := engine.Reference{Name: e.Spec.PlacementName}
	if len(e.Status.Conditions) > 0 || !slices.ContainsFunc(v.placements, func(p wire.ClusterResourcePlacement) bool { return referenceTo(p) == of }) {
		return false, nil
	}
	var target *wire.ClusterResourceBinding
	bound := 0
	for _, b := range v.bindingsOf(of) {
		if b.DeletionTimestamp != nil || b.Spec.State != wire.BindingStateBound {
			continue
		}
		bound++
		if b.Spec.TargetCluster == e.Spec.ClusterName {
			target = &b
		}
	}
	const valid, invalid = "ClusterResourcePlacementEvictionValid", "ClusterResourcePlacementEvictionInvalid"
	const executed, refused = "ClusterResourcePlacementEvictionExecuted", "ClusterResourcePlacementEvictionNotExecuted"
	if target == nil {
		return true, h.decideEviction(ctx, e, evictionCondition(wire.EvictionValid, "False", invalid, "Failed to find scheduler decision for placement in cluster"))
	}
	is := evictionCondition(wire.EvictionValid, "True", valid, "Eviction is valid")
	if !allowed(v.budgets, of.Name, bound) {
		return true, h.decideEviction(ctx, e, is, evictionCondition(wire.EvictionExecuted, "False", refused, "Eviction is blocked by specified ClusterResourcePlacementDisruptionBudget"))
	}
	if err := h.remove(ctx, hub.KindsOf(of).Binding, target.Namespace, target.Name, target.UID); err != nil {
		return false, err
	}
	return true, h.decideEviction(ctx, e, is, evictionCondition(wire.EvictionExecuted, "True", executed, "Eviction is executed"))
}

// allowed reports whether the placement's budget, if there is one, allows the removal of the placement from one of its bound clusters. It assumes that all of
// them are available.
func allowed(budgets []wire.ClusterResourcePlacementDisruptionBudget, name string, bound int) bool {
	count := func(n *intstr.IntOrString) int {
		value, _ := intstr.GetScaledValueFromIntOrPercent(n, bound, true)
		return value
	}
	for _, b := range budgets {
		switch {
		case b.Name != name:
		case b.Spec.MaxUnavailable != nil:
			return count(b.Spec.MaxUnavailable) > 0
		case b.Spec.MinAvailable != nil:
			return bound-1 >= count(b.Spec.MinAvailable)
		}
	}
	return true
}

func evictionCondition(conditionType, status, reason, message string) metav1.Condition {
	return metav1.Condition{
		Type: conditionType, Status: metav1.ConditionStatus(status), Reason: reason, Message: message, ObservedGeneration: 1, LastTransitionTime: metav1.Now(),
	}
}

func (h *Hub) decideEviction(ctx context.Context, e wire.ClusterResourcePlacementEviction, conditions ...metav1.Condition) error {
	content, err := fields(wire.ClusterResourcePlacementEvictionStatus{Conditions: conditions})
	if err != nil {
		return err
	}
	return h.patch(ctx, hub.Eviction, "", e.Name, "status", map[string]any{"status": content})
}
