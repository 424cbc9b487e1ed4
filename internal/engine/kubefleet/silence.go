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

// finalReadTimeout bounds the requests to the hub at the end of an apply, which may have timed out.
const finalReadTimeout = 5 * time.Second

// isUnobserved reports whether the hub has not observed the placement as predicted. It checks only after an apply that ended with that state.
func (e *Engine) isUnobserved(ctx context.Context, found *predict.Prediction) (bool, error) {
	if prior := found.Placement.Prior; prior == nil || !prior.NotObserved || found.Fleet.Placement == nil {
		return false, nil
	}
	now, err := e.readProgress(ctx, followed{
		placement: found.Placement, generation: found.Fleet.Placement.Generation, content: found.Content.ClosedHash(), overrides: overridesOf(found),
	}, false)
	return err == nil && !now.isObserved(), err
}

// overdueAgents returns the agents of clusters that are not complete: those that have not reported about their objects, and those that report failures and
// whose heartbeat is overdue. It returns nil if the hub does not respond.
func (e *Engine) overdueAgents(ctx context.Context, status placement.Status, waits bool) []engine.AgentReport {
	if status.NotObserved {
		return nil
	}
	asking, cancel := context.WithTimeout(context.WithoutCancel(ctx), finalReadTimeout)
	defer cancel()
	members, err := hub.List[cluster.MemberCluster](asking, e.clusters.Hub, hub.MemberCluster, "", "")
	if err != nil {
		return nil
	}
	reports := map[string]engine.AgentReport{}
	for _, m := range members {
		if age, period, known := predict.LastHeartbeat(m, time.Now()); known {
			reports[m.Name] = engine.AgentReport{Cluster: m.Name, Age: age, Period: period}
		}
	}
	var out []engine.AgentReport
	for _, name := range slices.Sorted(maps.Keys(status.Clusters)) {
		one, report := status.Clusters[name], reports[name]
		overdue := len(one.FailedPlacements) > 0 && report.Age > 2*report.Period
		if report.Cluster != "" && (overdue || one.Behind(waits) != nil) {
			out = append(out, report)
		}
	}
	return out
}
