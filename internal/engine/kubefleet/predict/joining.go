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

// Grace is how long the agent of a member that is new on the hub may take to report: an apply waits for it, and what is foreseen takes it for
// granted.
const Grace = 30 * time.Second

// Joining are the members that were registered a moment ago and whose agents have not reported yet, of those that the placement is going to be
// on.
func Joining(ctx context.Context, cluster *kube.Cluster, p engine.Placement) ([]string, error) {
	members, err := hub.List[api.MemberCluster](ctx, cluster, hub.MemberCluster, "", "")
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(members, func(m api.MemberCluster) bool { return isJoining(m, time.Now()) }) {
		return nil, nil
	}
	fleet, err := hub.Look(ctx, cluster, p.Reference, hub.Whole)
	if err != nil {
		return nil, err
	}
	return joining(p, fleet, time.Now()), nil
}

// Heard is how long ago the hub has heard of the agent of a member, and how often that reports; known is false if it never has.
func Heard(m api.MemberCluster, now time.Time) (age, period time.Duration, known bool) {
	last := candidate(m).Agent.LastReceivedHeartbeat
	period = defaultHeartbeat
	if s := m.Spec.HeartbeatPeriodSeconds; s != nil {
		period = time.Duration(*s) * time.Second
	}
	return now.Sub(last), period, !last.IsZero()
}

// defaultHeartbeat is how often an agent reports that nothing is said of.
const defaultHeartbeat = time.Minute

// isJoining tells whether the agent of a member is about to report.
func isJoining(m api.MemberCluster, now time.Time) bool {
	agent := candidate(m).Agent
	return m.DeletionTimestamp == nil && m.CreationTimestamp.After(now.Add(-Grace)) && (agent.Offline || agent.Joined == nil)
}

// HasJoined tells whether the agent of a member has said that it has joined.
func (p *Prediction) HasJoined(name string) bool {
	m := p.Fleet.Member(name)
	if m == nil {
		return false
	}
	joined := candidate(*m).Agent.Joined
	return joined != nil && joined.Status == string(metav1.ConditionTrue)
}

func joining(p engine.Placement, fleet *hub.Fleet, now time.Time) []string {
	outcome, err := schedule.Schedule(input(p, fleet, engine.World{}, now))
	if err != nil {
		return nil // the hub's scheduler gives up on it, whoever joins
	}
	return slices.DeleteFunc(outcome.Selected(), func(name string) bool {
		m := fleet.Member(name)
		return m == nil || !isJoining(*m, now)
	})
}
