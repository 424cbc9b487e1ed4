package fakekubefleet

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	api "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/cluster/v1beta1"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/naming"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/schedule"
)

const (
	bindingFinalizer = "kubernetes-fleet.io/work-cleanup"
	previousState    = "kubernetes-fleet.io/previous-binding-state"
)

// outdate marks a snapshot as no longer the latest one.
func (h *Hub) outdate(ctx context.Context, kind schema.GroupKind, namespace, name string) error {
	return h.patch(ctx, kind, namespace, name, "", map[string]any{"metadata": map[string]any{"labels": map[string]any{wire.LatestSnapshotLabel: "false"}}})
}

// decide runs the scheduler. It fails if the name of a new binding is invalid.
func (l *round) decide() (schedule.Outcome, error) {
	in := schedule.Input{Policy: l.spec.Policy, Placement: l.crp.Name, Namespace: l.crp.Namespace, Now: time.Now()}
	for _, b := range l.bindings {
		in.Bindings = append(in.Bindings, schedule.Binding{
			Name: b.Name, Cluster: b.Spec.TargetCluster, State: schedule.State(b.Spec.State),
			PreviousState: schedule.State(b.Annotations[previousState]), Obsolete: b.Spec.SchedulingPolicySnapshotName != l.policy,
			Deleting: b.DeletionTimestamp != nil, Reason: b.Spec.ClusterDecision.Reason, Score: scoreOf(b.Spec.ClusterDecision.ClusterScore),
		})
	}
	for _, m := range l.members {
		in.Clusters = append(in.Clusters, cluster(m))
	}
	outcome, err := schedule.Schedule(in)
	for _, b := range outcome.Bindings {
		if problem := naming.Label(schedule.BindingPrefix(l.crp.Name, b.Cluster) + "00000000"); b.Action == schedule.Create && problem != "" {
			return schedule.Outcome{}, fmt.Errorf("the name of a binding to %s is invalid: %s", b.Cluster, problem)
		}
	}
	return outcome, err
}

func scoreOf(s *wire.ClusterScore) *schedule.Score {
	if s == nil || s.AffinityScore == nil || s.TopologySpreadScore == nil {
		return nil
	}
	return &schedule.Score{Affinity: *s.AffinityScore, TopologySpread: *s.TopologySpreadScore}
}

// cluster returns a member as the scheduler sees it.
func cluster(m api.MemberCluster) schedule.Cluster {
	status := convert.MemberStatus(m.Status)
	out := schedule.Cluster{
		Name: m.Name, Labels: m.Labels, Taints: convert.ToMember(m).Taints, Properties: status.Properties, Usage: schedule.ResourceUsage(status.Usage),
		Leaving: m.DeletionTimestamp != nil, Agent: &schedule.Agent{Offline: true},
	}
	for _, a := range m.Status.AgentStatus {
		out.Agent = &schedule.Agent{LastReceivedHeartbeat: a.LastReceivedHeartbeat.Time}
		for _, c := range a.Conditions {
			condition := &schedule.Condition{Status: string(c.Status), LastTransitionTime: c.LastTransitionTime.Time}
			switch c.Type {
			case member.Joined:
				out.Agent.Joined = condition
			case member.Healthy:
				out.Agent.Healthy = condition
			}
		}
	}
	return out
}

// schedule writes the scheduler's bindings. If the scheduler fails, nothing changes.
func (h *Hub) schedule(ctx context.Context, l *round) (wrote bool, err error) {
	outcome, err := l.decide()
	if err != nil {
		return false, nil //nolint:nilerr // as KubeFleet does
	}
	for _, b := range outcome.Bindings {
		done, err := h.bind(ctx, l, b)
		if err != nil {
			return wrote, err
		}
		wrote = wrote || done
	}
	return wrote, nil
}

// bind writes one of the scheduler's bindings.
func (h *Hub) bind(ctx context.Context, l *round, b schedule.BindingOutcome) (wrote bool, err error) {
	if b.Action == schedule.Create {
		return true, h.newBinding(ctx, l, b)
	}
	i := slices.IndexFunc(l.bindings, func(other wire.ClusterResourceBinding) bool { return other.Name == b.Name })
	if i < 0 {
		return false, nil
	}
	have, change := &l.bindings[i], map[string]any{}
	switch b.Action {
	case schedule.Keep, schedule.Release, schedule.Create:
		return false, nil
	case schedule.Restamp, schedule.Restore:
		have.Spec.SchedulingPolicySnapshotName, have.Spec.State = l.policy, string(b.State)
		change["spec"] = map[string]any{"schedulingPolicySnapshotName": l.policy, "state": string(b.State)}
	case schedule.Unschedule:
		if have.Spec.State == wire.BindingStateUnscheduled {
			return false, nil
		}
		change["metadata"] = map[string]any{"annotations": map[string]any{previousState: have.Spec.State}}
		change["spec"] = map[string]any{"state": wire.BindingStateUnscheduled}
		have.Annotations = maps.Clone(have.Annotations)
		if have.Annotations == nil {
			have.Annotations = map[string]string{}
		}
		have.Annotations[previousState], have.Spec.State = have.Spec.State, wire.BindingStateUnscheduled
	}
	return true, h.patch(ctx, hub.KindsOf(l.of()).Binding, l.crp.Namespace, b.Name, "", change)
}

// newBinding creates a binding of the placement to a cluster.
func (h *Hub) newBinding(ctx context.Context, l *round, b schedule.BindingOutcome) error {
	decision := wire.ClusterDecision{ClusterName: b.Cluster, Selected: true, Reason: b.Reason}
	if b.Score != nil {
		decision.ClusterScore = &wire.ClusterScore{AffinityScore: &b.Score.Affinity, TopologySpreadScore: &b.Score.TopologySpread}
	}
	binding := wire.ClusterResourceBinding{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: l.crp.Namespace, Name: bindingName(l.crp.Name, b.Cluster), Labels: map[string]string{wire.PlacementLabel: l.crp.Name},
			Finalizers: []string{bindingFinalizer},
		},
		Spec: wire.ResourceBindingSpec{
			State: wire.BindingStateScheduled, SchedulingPolicySnapshotName: l.policy, TargetCluster: b.Cluster, ClusterDecision: decision,
			ApplyStrategy: l.crp.Spec.Strategy.ApplyStrategy,
		},
	}
	l.bindings = append(l.bindings, binding)
	return h.create(ctx, hub.KindsOf(l.of()).Binding, binding)
}

func bindingName(placement, cluster string) string {
	suffix := make([]byte, 4)
	_, _ = rand.Read(suffix)
	return schedule.BindingPrefix(placement, cluster) + hex.EncodeToString(suffix)
}
