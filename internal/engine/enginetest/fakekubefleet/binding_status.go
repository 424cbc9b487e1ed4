package fakekubefleet

import (
	"context"
	"reflect"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// tellBinding writes the status of a Bound binding. The status describes the content on the cluster, which can be older than the latest content.
func (h *Hub) tellBinding(ctx context.Context, l *round, b wire.ClusterResourceBinding, outcome placement.ClusterOutcome) error {
	if b.Spec.State != wire.BindingStateBound {
		return nil
	}
	held := outcome.Held
	if held != nil {
		outcome.Held = nil
		outcome = h.reached(l, b, outcome)
	}
	status := placement.NewClusterStatus(outcome, b.Generation)
	status.Conditions = slices.DeleteFunc(status.Conditions, func(c placement.Condition) bool {
		return c.Type == placement.Scheduled || held != nil && c.Type == placement.RolloutStarted
	})
	if held != nil {
		reported := *held
		reported.ObservedGeneration = b.Generation
		status.Conditions = append(status.Conditions, reported)
	}
	entry := fromCluster(b.Spec.TargetCluster, status)
	before := wire.PlacementStatus{PlacementStatuses: []wire.PerClusterPlacementStatus{{
		ClusterName: b.Spec.TargetCluster, FailedPlacements: b.Status.FailedPlacements,
	}}}
	now := metav1.NewTime(time.Now().Truncate(time.Second))
	since(entry.Conditions, b.Status.Conditions, now)
	for i := range entry.FailedPlacements {
		entry.FailedPlacements[i].Condition.LastTransitionTime = failedSince(before, b.Spec.TargetCluster, entry.FailedPlacements[i], now)
	}
	content, err := fields(wire.ResourceBindingStatus{Conditions: entry.Conditions, FailedPlacements: entry.FailedPlacements},
		"conditions", "failedPlacements")
	if err != nil {
		return err
	}
	stored, err := fields(wire.ResourceBindingStatus{Conditions: b.Status.Conditions, FailedPlacements: b.Status.FailedPlacements},
		"conditions", "failedPlacements")
	if err != nil || reflect.DeepEqual(content, stored) {
		return err
	}
	return h.patch(ctx, hub.KindsOf(l.of()).Binding, b.Namespace, b.Name, "status", map[string]any{"status": content})
}
