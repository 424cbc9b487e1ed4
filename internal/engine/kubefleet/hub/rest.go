package hub

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// isAtRest tells whether a hub says that it has carried out a placement as it is now.
func isAtRest(p *wire.ClusterResourcePlacement) bool {
	for _, stage := range []placement.ConditionType{placement.Scheduled, placement.RolloutStarted, placement.WorkSynchronized} {
		if c := current(p, stage); c == nil || c.Status != metav1.ConditionTrue {
			return false
		}
	}
	return p.DeletionTimestamp == nil
}

// current is a condition of a placement that is about it as it is now; nil if there is none.
func current(p *wire.ClusterResourcePlacement, conditionType placement.ConditionType) *metav1.Condition {
	for _, c := range p.Status.Conditions {
		if placement.ShortType(c.Type) == conditionType && c.ObservedGeneration == p.Generation {
			return &c
		}
	}
	return nil
}

// InvalidSelectors is the reason for which a placement is not scheduled when the hub can make nothing of what it selects. The hub does nothing
// more then: its scheduler is not told of the policy either (KubeFleet, pkg/controllers/placement: handleUpdate).
const InvalidSelectors = "InvalidResourceSelectors"

// scheduledPolicy is the policy that the scheduler was told of last, as far as the placement's status tells: once it has decided about the
// placement as it is now, that is the placement's own, and what is bound is bound under it. It is nil before.
func scheduledPolicy(p *wire.ClusterResourcePlacement, bindings []wire.ClusterResourceBinding) *wire.ClusterSchedulingPolicySnapshot {
	c := current(p, placement.Scheduled)
	if c == nil || c.Status == metav1.ConditionUnknown || c.Reason == InvalidSelectors {
		return nil
	}
	names := map[string]bool{}
	for _, b := range bindings {
		if b.Spec.State != wire.BindingStateUnscheduled && b.DeletionTimestamp == nil {
			names[b.Spec.SchedulingPolicySnapshotName] = true
		}
	}
	if len(names) > 1 {
		return nil
	}
	out := &wire.ClusterSchedulingPolicySnapshot{Spec: wire.SchedulingPolicySnapshotSpec{Policy: p.Spec.Policy}}
	for name := range names {
		out.Name = name
	}
	return out
}

// standing are the bindings of a placement that the hub has carried out as it is now, without their names and scores. ok is false unless its
// Works are on the clusters that its status names, and on no others, and stay there: of a cluster that it is leaving the status says nothing.
func standing(p *wire.ClusterResourcePlacement, works []metav1.ObjectMeta) (bindings []wire.ClusterResourceBinding, ok bool) {
	placed := map[string]bool{}
	for _, work := range works {
		member, of := strings.CutPrefix(work.Namespace, MemberNamespacePrefix)
		if !of || work.DeletionTimestamp != nil {
			return nil, false
		}
		placed[member] = true
	}
	for _, entry := range p.Status.PlacementStatuses {
		if !placed[entry.ClusterName] {
			return nil, false
		}
		delete(placed, entry.ClusterName)
		bindings = append(bindings, wire.ClusterResourceBinding{Spec: wire.ResourceBindingSpec{
			State: wire.BindingStateBound, TargetCluster: entry.ClusterName,
		}})
	}
	return bindings, len(placed) == 0
}
