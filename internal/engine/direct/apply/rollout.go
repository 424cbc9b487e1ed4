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

// rollout makes the rolling update of the plan. A cluster that cannot be reached takes no part: it must not hold up the others.
func (r *run) rollout() (*rolling.Rollout, error) {
	wanted := r.plan.Outcome.Wanted
	clusters := map[string]rolling.Cluster{}
	var standing []rollout.Cluster
	for name, c := range r.clusters {
		clusters[name] = c
		if c.Err != nil && c.Decision.Selected {
			wanted--
		}
		if one, takesPart := c.standing(); takesPart {
			standing = append(standing, one)
		}
	}
	settings, err := rollout.ParseSettings(*r.plan.Spec.Strategy.RollingUpdate, wanted)
	return rolling.New(settings, clusters, standing, r.tell), err
}

// standing is where a cluster is before anything is done. One that the placement is not on and not meant for takes no part, nor does one
// on which only its records are written, or the owners of objects: no workload is touched by that.
func (c *cluster) standing() (standing rollout.Cluster, takesPart bool) {
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
	if out.Change != rollout.Create && !c.working() {
		out.State = rollout.NotReady
	}
	return out, true
}

// working tells whether every object that the placement has on the cluster is there and available.
func (c *cluster) working() bool {
	had := slices.DeleteFunc(slices.Clone(c.Items), func(i *plan.Item) bool { return i.Live == nil && !i.Known })
	return memberapply.Working(plan.ObjectsOf(had))
}

// first are the clusters that may be written to at once: those whose turn it is, and those that only need their records written.
func (r *run) first(step rollout.Step) []string {
	names := slices.Concat(step.Start, step.Remove)
	for name, c := range r.clusters {
		if _, takesPart := c.standing(); !takesPart && c.Touched() {
			names = append(names, name)
		}
	}
	return names
}

// tell reports a step that starts something.
func (r *run) tell(step rollout.Step) {
	if r.options.Progress != nil {
		r.options.Progress("rolling out", map[string]any{
			"placement": r.plan.Placement.Name, "start": step.Start, "remove": step.Remove, "waiting": len(step.Waiting), "holding": step.Holding,
		})
	}
}

// Write writes the cluster's objects, then removes what is left over. The inventories of what is due from the beginning are written.
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
		writing, end := outlast(ctx)
		c.Apply(writing, plan.ObjectsOf(c.Items))
		end()
		if c.writtenAhead && !c.SkipsPrune() {
			c.prune(ctx, c.Prunable)
		}
	}
	c.Assess(plan.ObjectsOf(c.Items))
}

// Watch looks at the objects that are not available yet.
func (c *cluster) Watch(ctx context.Context) error { return c.Await(ctx) }

// Hold notes why the rollout has not come to the cluster.
func (c *cluster) Hold(why string) { c.held = placement.NotStarted(why) }
