package predict

import (
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	cluster "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/cluster/v1beta1"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/kubefleetapi"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/schedule"
)

// namespacesCollected is the condition of a member that the scheduler checks before it uses the member's list of namespaces.
const namespacesCollected = "NamespaceCollectionSucceeded"

// previousState is the annotation in which the scheduler stores the state that a binding had before it was unscheduled.
const previousState = kubefleetapi.Prefix + "previous-binding-state"

// assumedUnreachable is the reason for a member that is assumed to be unreachable. The scheduler does not pick a member whose last heartbeat is older than five
// minutes, but keeps a placement that is already on the member.
const assumedUnreachable = "cluster is not connected to the fleet: no recent heartbeat signals (assumed)"

// input returns the input of the hub's scheduler. A member that the same run registers counts as joined, and so does a member for which isJoining returns true.
func input(p engine.Placement, fleet *hub.Fleet, world engine.World, now time.Time) schedule.Input {
	out := schedule.Input{Policy: p.Spec.Defaulted().Policy, Placement: p.Name, Namespace: p.Namespace, Now: now}
	changed := fleet.Policy != nil && policyHash(fleet.Policy.Spec.Policy) != p.Spec.PolicyHash()
	unmoved := fleet.Policy != nil && !changed && len(world.Members) == 0
	for _, b := range fleet.Bindings {
		out.Bindings = append(out.Bindings, schedule.Binding{
			Name: b.Name, Cluster: b.Spec.TargetCluster, State: schedule.State(b.Spec.State),
			PreviousState: schedule.State(b.Annotations[previousState]),
			Obsolete:      changed || fleet.Policy == nil || b.Spec.SchedulingPolicySnapshotName != fleet.Policy.Name,
			Deleting:      b.DeletionTimestamp != nil, Score: score(b.Spec.ClusterDecision.ClusterScore), Reason: b.Spec.ClusterDecision.Reason,
		})
	}
	for _, m := range fleet.Members {
		planned, changes := world.Members[m.Name]
		if changes && planned.Want == nil {
			continue // the member is removed
		}
		c := withPlanned(candidate(m), planned)
		if isJoining(m, now) {
			c.Agent = joined(now)
		}
		if c.Leaving && unmoved && fleet.Bound(m.Name) { // the scheduler does not react until the member has left
			c.Leaving, c.Agent = false, joined(now)
		}
		out.Clusters = append(out.Clusters, c)
	}
	for _, name := range slices.Sorted(maps.Keys(world.Members)) {
		if want := world.Members[name].Want; want != nil && fleet.Member(name) == nil {
			out.Clusters = append(out.Clusters, schedule.Cluster{
				Name: name, Labels: labels(name, want.Labels), Taints: want.Taints, Agent: joined(now),
			})
		}
	}
	for i := range out.Clusters {
		if c := &out.Clusters[i]; world.Assumed[c.Name] == engine.AssumeUnreachable {
			c.Ineligible = assumedUnreachable
		}
	}
	return out
}

// withPlanned returns a member with the labels and taints that the same run configures. Labels set by others remain.
func withPlanned(c schedule.Cluster, planned engine.Planned[member.Spec]) schedule.Cluster {
	if planned.Want == nil {
		return c
	}
	c.Labels = labels(c.Name, plannedLabels(c.Labels, planned))
	c.Taints = member.PlannedTaints(c.Taints, planned.Was, *planned.Want)
	return c
}

func plannedLabels(live map[string]string, planned engine.Planned[member.Spec]) map[string]string {
	out := maps.Clone(live)
	if planned.Want == nil {
		return out
	}
	if planned.Was != nil {
		for key := range planned.Was.Labels {
			delete(out, key)
		}
	}
	maps.Copy(out, planned.Want.Labels)
	return out
}

// joined returns the state of an agent that reports now that it has joined and is healthy.
func joined(now time.Time) *schedule.Agent {
	yes := &schedule.Condition{Status: string(metav1.ConditionTrue), LastTransitionTime: now}
	return &schedule.Agent{LastReceivedHeartbeat: now, Joined: yes, Healthy: yes}
}

func candidate(m cluster.MemberCluster) schedule.Cluster {
	status := convert.MemberStatus(m.Status)
	out := schedule.Cluster{
		Name: m.Name, Labels: labels(m.Name, m.Labels), Taints: convert.ToMember(m).Taints, Properties: status.Properties,
		Usage: schedule.ResourceUsage(status.Usage), Leaving: m.DeletionTimestamp != nil, Agent: &schedule.Agent{Offline: true},
	}
	out.NamespacesCollected = condition(m.Status.Conditions, namespacesCollected) != nil
	if m.Status.Namespaces != nil {
		out.Namespaces = slices.Sorted(maps.Keys(m.Status.Namespaces))
	}
	for _, agent := range m.Status.AgentStatus {
		if agent.Type == member.MemberAgent {
			out.Agent = &schedule.Agent{
				LastReceivedHeartbeat: agent.LastReceivedHeartbeat.Time, Joined: condition(agent.Conditions, member.Joined),
				Healthy: condition(agent.Conditions, member.Healthy),
			}
		}
	}
	return out
}

func condition(all []metav1.Condition, conditionType string) *schedule.Condition {
	i := slices.IndexFunc(all, func(c metav1.Condition) bool { return c.Type == conditionType })
	if i < 0 {
		return nil
	}
	return &schedule.Condition{Status: string(all[i].Status), LastTransitionTime: all[i].LastTransitionTime.Time}
}

// labels returns the labels of a member, including the label with its name that a hub adds.
func labels(name string, own map[string]string) map[string]string {
	out := maps.Clone(own)
	if out == nil {
		out = map[string]string{}
	}
	if out[override.MemberNameLabel] == "" {
		out[override.MemberNameLabel] = name
	}
	return out
}

func score(in *wire.ClusterScore) *schedule.Score {
	if in == nil {
		return nil
	}
	out := &schedule.Score{}
	if in.AffinityScore != nil {
		out.Affinity = *in.AffinityScore
	}
	if in.TopologySpreadScore != nil {
		out.TopologySpread = *in.TopologySpreadScore
	}
	return out
}

func policyHash(stored *wire.PlacementPolicy) string {
	return convert.ToPlacementSpec(wire.PlacementSpec{Policy: stored}).PolicyHash()
}
