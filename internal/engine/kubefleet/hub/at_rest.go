package hub

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// isAtRest reports whether the hub has carried out the current generation of a placement, according to its status.
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

// InvalidSelectors is the reason for which a placement is not scheduled if the hub cannot resolve its selectors. The hub then stops: its scheduler does not
// receive the policy either (KubeFleet, pkg/controllers/placement: handleUpdate).
const InvalidSelectors = "InvalidResourceSelectors"

// scheduledPolicy returns the policy that the scheduler has received last, according to the placement's status; nil if the status does not show it. Once the
// scheduler has decided about the current generation, that is the placement's own policy, and the bindings were made under it.
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

// bindingsAtRest returns the bindings of a placement that the hub has carried out, without their names and scores. ok is true only if its Works are on exactly
// the clusters in its status and are not being deleted: the status does not contain the clusters that the placement is leaving.
func bindingsAtRest(p *wire.ClusterResourcePlacement, works []metav1.ObjectMeta) (bindings []wire.ClusterResourceBinding, ok bool) {
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
