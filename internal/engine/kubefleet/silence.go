package kubefleet

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	cluster "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/cluster/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/predict"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// finalReadTimeout is the timeout for requests to the hub at the end of an apply. It applies even if the apply has timed out.
const finalReadTimeout = 5 * time.Second

// isUnobserved reports whether the hub still has not observed the last apply of the placement. It sends a request only if the placement exists and the state
// reports that the hub had not observed this apply. Otherwise it returns false.
func (e *Engine) isUnobserved(ctx context.Context, found *predict.Prediction) (bool, error) {
	if prior := found.Placement.Prior; prior == nil || !prior.NotObserved || found.Fleet.Placement == nil {
		return false, nil
	}
	now, err := e.readProgress(ctx, rolloutChange{
		placement: found.Placement, generation: found.Fleet.Placement.Generation, content: found.Content.ClosedHash(), overrides: overridesOf(found),
	}, false)
	return err == nil && !now.isObserved(), err
}

// awaitedAgents returns the agents that an apply still waits for after its timeout: the agents of clusters that are behind (see
// [placement.ClusterStatus.Behind]), and the agents whose heartbeat is overdue, if their clusters have failed objects. waits reports that the apply waits until
// objects are available. overdue reports that the heartbeats of all members are overdue. In that case, awaitedAgents returns the agents of all clusters in the
// status. It omits agents that have never sent a heartbeat. If the hub has not observed the change or does not respond, it returns none.
func (e *Engine) awaitedAgents(ctx context.Context, status placement.Status, waits bool) (agents []engine.AgentReport, overdue bool) {
	if status.NotObserved {
		return nil, false
	}
	asking, cancel := context.WithTimeout(context.WithoutCancel(ctx), finalReadTimeout)
	defer cancel()
	members, err := hub.List[cluster.MemberCluster](asking, e.clusters.Hub, hub.MemberCluster, "", "")
	if err != nil {
		return nil, false
	}
	reports, overdue := heartbeats(members, time.Now())
	for _, name := range slices.Sorted(maps.Keys(status.Clusters)) {
		one, report := status.Clusters[name], reports[name]
		failing := len(one.FailedPlacements) > 0 && isOverdue(report)
		if report.Cluster != "" && (overdue || failing || one.Behind(waits) != nil) {
			agents = append(agents, report)
		}
	}
	return agents, overdue
}

// heartbeats returns the last heartbeat of each member whose agent has sent one. overdue reports that all of these heartbeats are overdue, and is false if
// there are none.
func heartbeats(members []cluster.MemberCluster, now time.Time) (reports map[string]engine.AgentReport, overdue bool) {
	reports, overdue = map[string]engine.AgentReport{}, true
	for _, m := range members {
		if age, period, known := predict.LastHeartbeat(m, now); known {
			report := engine.AgentReport{Cluster: m.Name, Age: age, Period: period}
			reports[m.Name], overdue = report, overdue && isOverdue(report)
		}
	}
	return reports, overdue && len(reports) > 0
}

func isOverdue(agent engine.AgentReport) bool { return agent.Age > 2*agent.Period }
