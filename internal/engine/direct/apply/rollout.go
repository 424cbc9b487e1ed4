package apply

import (
	"context"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/plan"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberapply"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/rolling"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/rollout"
)

var _ rolling.Cluster = (*cluster)(nil)

// rollout returns the rolling update of the plan. It omits unreachable clusters, which must not block the others. It returns an error if the settings of the
// rolling update are invalid.
func (r *run) rollout() (*rolling.Rollout, error) {
	numberOfClusters := r.plan.Outcome.Wanted
	clusters := map[string]rolling.Cluster{}
	var initial []rollout.Cluster
	for name, c := range r.clusters {
		clusters[name] = c
		if c.Err != nil && c.Decision.Selected {
			numberOfClusters--
		}
		if one, takesPart := c.rolloutState(); takesPart {
			initial = append(initial, one)
		}
	}
	settings, err := rollout.ParseSettings(*r.plan.Spec.Strategy.RollingUpdate, numberOfClusters)
	return rolling.New(settings, clusters, initial, r.reportProgress), err
}

// rolloutState returns the state of a cluster before the rollout. takesPart is false for an unreachable cluster, and for a cluster that is not picked and does
// not have the placement. It is also false if the apply writes only records or the owners of objects on the cluster, because no workload changes there.
func (c *cluster) rolloutState() (state rollout.Cluster, takesPart bool) {
	out := rollout.Cluster{Name: c.Name, Change: rollout.None, State: rollout.Ready, Trackable: true}
	switch {
	case !c.Decision.Selected && c.Inventory == nil, c.Err != nil:
		return out, false
	case c.OverrideErr != nil:
		out.State = rollout.Failing
		return out, true
	case !c.Decision.Selected:
		out.Change = rollout.Remove
	case c.Inventory == nil:
		out.Change = rollout.Create
	case c.ChangesObjects():
		out.Change = rollout.Update
	case c.Touched():
		return out, false
	}
	if out.Change != rollout.Create && !c.isWorking() {
		out.State = rollout.NotReady
	}
	return out, true
}

// isWorking reports whether all objects that the placement has on the cluster exist and are available.
func (c *cluster) isWorking() bool {
	had := slices.DeleteFunc(slices.Clone(c.Items), func(i *plan.Item) bool { return i.Live == nil && !i.Known })
	return memberapply.Working(plan.ObjectsOf(had))
}

// firstClusters returns the clusters that may be written to immediately: those that the rollout starts with, and those that take no part in the rollout because no
// workload changes there.
func (r *run) firstClusters(step rollout.Step) []string {
	names := slices.Concat(step.Start, step.Remove)
	for name, c := range r.clusters {
		if _, takesPart := c.rolloutState(); !takesPart && c.Touched() {
			names = append(names, name)
		}
	}
	return names
}

func (r *run) reportProgress(step rollout.Step) {
	if r.options.Progress != nil {
		r.options.Progress("rolling out", map[string]any{
			"placement": r.plan.Placement.Name, "start": step.Start, "remove": step.Remove, "waiting": len(step.Waiting), "holding": step.Holding,
		})
	}
}

// Write writes the cluster's objects, then removes the prunable objects. If first is true, the inventory has already been written.
func (c *cluster) Write(ctx context.Context, first bool) {
	if !first {
		if err := c.writeAhead(ctx); err != nil {
			c.blocked = err
		}
	}
	switch {
	case c.blocked != nil:
		c.FailAll(plan.ObjectsOf(c.All()), c.blocked)
	case c.problem() == nil:
		writing, end := newWriteContext(ctx)
		c.Apply(writing, plan.ObjectsOf(c.Items))
		end()
		if c.writtenAhead && !c.SkipsPrune() {
			c.prune(ctx, c.Prunable)
		}
	}
	c.Assess(plan.ObjectsOf(c.Items))
}

// Watch waits for the objects that are not available yet.
func (c *cluster) Watch(ctx context.Context) error { return c.Await(ctx) }

// SetNotStarted records why the rollout has not reached the cluster.
func (c *cluster) SetNotStarted(why string) { c.notStarted = placement.NotStarted(why) }
