package hub

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// isAtRest reports whether the hub has rolled out the current generation of a placement according to its status, and the placement is not being deleted.
func isAtRest(p *wire.ClusterResourcePlacement) bool {
	for _, stage := range []placement.ConditionType{placement.Scheduled, placement.RolloutStarted, placement.WorkSynchronized} {
		if c := current(p, stage); c == nil || c.Status != metav1.ConditionTrue {
			return false
		}
	}
	return p.DeletionTimestamp == nil
}

// current returns a condition of a placement for its current generation; nil if there is none.
func current(p *wire.ClusterResourcePlacement, conditionType placement.ConditionType) *metav1.Condition {
	for _, c := range p.Status.Conditions {
		if placement.ShortType(c.Type) == conditionType && c.ObservedGeneration == p.Generation {
			return &c
		}
	}
	return nil
}

// InvalidSelectors is the reason of the condition Scheduled if the hub cannot resolve the selectors. The hub then does nothing for the placement: its
// scheduler does not receive the policy either (KubeFleet, pkg/controllers/placement: handleUpdate).
const InvalidSelectors = "InvalidResourceSelectors"

// scheduledPolicy returns the policy that the scheduler received last. It returns nil if the status does not show this policy, or if the bindings refer to
// several policy snapshots. After the scheduler has decided about the current generation, this is the policy of the placement, and the bindings refer to its
// snapshot. The name of the result is empty if there are no such bindings.
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

// bindingsAtRest derives the bindings of a placement at rest from its status, without their names and scores. ok is true only if the placement has Works for
// exactly the clusters in its status, and no Work is being deleted. Otherwise, the placement may still be leaving clusters that the status omits.
func bindingsAtRest(p *wire.ClusterResourcePlacement, works []metav1.ObjectMeta) (bindings []wire.ClusterResourceBinding, ok bool) {
	placed := map[string]bool{}
	for _, work := range works {
		member, found := strings.CutPrefix(work.Namespace, MemberNamespacePrefix)
		if !found || work.DeletionTimestamp != nil {
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
