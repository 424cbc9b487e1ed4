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

// closingTime is how long the hub is asked, once the time of an apply is over, for what it has waited.
const closingTime = 5 * time.Second

// unheard tells whether the hub has not taken up a placement as it is foreseen, after an apply that has not heard that it has.
func (e *Engine) unheard(ctx context.Context, found *predict.Prediction) (bool, error) {
	if prior := found.Placement.Prior; prior == nil || !prior.Unheard || found.Fleet.Placement == nil {
		return false, nil
	}
	now, err := e.look(ctx, followed{
		placement: found.Placement, generation: found.Fleet.Placement.Generation, content: found.Content.ClosedHash(), overrides: overridesOf(found),
	}, false)
	return err == nil && !now.heard(), err
}

// waitedFor are the agents of the clusters that have not become what they are to be: of those that say nothing of their objects, and of those that
// do and are overdue. Nothing is told if the hub does not answer.
func (e *Engine) waitedFor(ctx context.Context, status placement.Status, waits bool) []engine.AgentReport {
	if status.Unheard {
		return nil
	}
	asking, cancel := context.WithTimeout(context.WithoutCancel(ctx), closingTime)
	defer cancel()
	members, err := hub.List[cluster.MemberCluster](asking, e.clusters.Hub, hub.MemberCluster, "", "")
	if err != nil {
		return nil
	}
	heard := map[string]engine.AgentReport{}
	for _, m := range members {
		if age, period, known := predict.Heard(m, time.Now()); known {
			heard[m.Name] = engine.AgentReport{Cluster: m.Name, Age: age, Period: period}
		}
	}
	var out []engine.AgentReport
	for _, name := range slices.Sorted(maps.Keys(status.Clusters)) {
		one, report := status.Clusters[name], heard[name]
		overdue := len(one.FailedPlacements) > 0 && report.Age > 2*report.Period
		if report.Cluster != "" && (overdue || one.Behind(waits) != nil) {
			out = append(out, report)
		}
	}
	return out
}
