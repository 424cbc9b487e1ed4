package predict

import (
	"context"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	api "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/cluster/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/schedule"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Grace is how long the agent of a newly registered member may take to report. During this time, an apply waits for the agent, and predictions assume that the
// agent joins.
const Grace = 30 * time.Second

// Joining returns the members that the scheduler will pick for the placement and that are joining: they were just registered, and their agents have not
// reported yet.
func Joining(ctx context.Context, cluster *kube.Cluster, p engine.Placement) ([]string, error) {
	members, err := hub.List[api.MemberCluster](ctx, cluster, hub.MemberCluster, "", "")
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(members, func(m api.MemberCluster) bool { return isJoining(m, time.Now()) }) {
		return nil, nil
	}
	fleet, err := hub.ReadFleet(ctx, cluster, p.Reference, hub.ReadAll)
	if err != nil {
		return nil, err
	}
	return selectedJoining(p, fleet, time.Now()), nil
}

// LastHeartbeat returns the age of the last heartbeat of a member's agent, and the heartbeat period of the member. known is false if the agent has never sent
// a heartbeat.
func LastHeartbeat(m api.MemberCluster, now time.Time) (age, period time.Duration, known bool) {
	last := candidate(m).Agent.LastReceivedHeartbeat
	period = defaultHeartbeat
	if s := m.Spec.HeartbeatPeriodSeconds; s != nil {
		period = time.Duration(*s) * time.Second
	}
	return now.Sub(last), period, !last.IsZero()
}

// defaultHeartbeat is the heartbeat period of a member without one in its spec.
const defaultHeartbeat = time.Minute

// isJoining reports whether a member was registered within [Grace] and its agent has not reported yet.
func isJoining(m api.MemberCluster, now time.Time) bool {
	agent := candidate(m).Agent
	return m.DeletionTimestamp == nil && m.CreationTimestamp.After(now.Add(-Grace)) && (agent.Offline || agent.Joined == nil)
}

// HasJoined reports whether the agent of a member has reported that it has joined.
func (p *Prediction) HasJoined(name string) bool {
	m := p.Fleet.Member(name)
	if m == nil {
		return false
	}
	joined := candidate(*m).Agent.Joined
	return joined != nil && joined.Status == string(metav1.ConditionTrue)
}

func selectedJoining(p engine.Placement, fleet *hub.Fleet, now time.Time) []string {
	outcome, err := schedule.Schedule(input(p, fleet, engine.World{}, now))
	if err != nil {
		return nil // the hub's scheduler fails regardless of which members join
	}
	return slices.DeleteFunc(outcome.Selected(), func(name string) bool {
		m := fleet.Member(name)
		return m == nil || !isJoining(*m, now)
	})
}
