package direct

import (
	"strconv"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// status is what an apply has come to.
func (r *run) status() placement.Status {
	var outcomes []placement.ClusterOutcome
	for _, name := range r.plan.clusterNames() {
		c := r.clusters[name]
		if c.concerns(r.plan) {
			outcomes = append(outcomes, c.outcome(r.plan))
		}
	}
	outcomes = append(outcomes, r.plan.unfilled()...)
	status := placement.NewStatus(r.plan.content.selected, outcomes, r.plan.outcome.Fulfilled, r.plan.index(), r.plan.generated.Generation)
	status.HubUID = r.plan.generated.HubUID
	return status
}

// concerns tells whether the cluster belongs into the status: it was picked, or has objects of the placement still, as far as is known.
// A configured one that does not answer might have been picked, unless the policy names its clusters.
func (c *clusterRun) concerns(p *plan) bool {
	if c.decision.Selected || c.inventory != nil {
		return true
	}
	return c.err != nil && (had(p.request.Prior, c.name) || c.cluster != nil && p.spec.Policy.PlacementType != placement.PickFixed)
}

// had tells whether a cluster had objects of the placement when it was seen last: it was picked, or it was no longer and could not be
// reached to remove them.
func had(prior *placement.Status, name string) bool {
	if prior == nil {
		return false
	}
	cluster := prior.Clusters[name]
	return isScheduled(cluster) || cluster.ObservedResourceIndex != ""
}

// unfilled are the clusters that PickFixed names and that could not be had.
func (p *plan) unfilled() []placement.ClusterOutcome {
	if p.spec.Policy.PlacementType != placement.PickFixed {
		return nil
	}
	var out []placement.ClusterOutcome
	for _, decision := range p.outcome.Decisions {
		known := false
		for _, c := range p.clusters {
			known = known || c.name == decision.Cluster && (c.decision.Selected || c.inventory != nil)
		}
		if !decision.Selected && !known {
			out = append(out, placement.ClusterOutcome{Name: decision.Cluster, Reason: decision.Reason})
		}
	}
	return out
}

func (c *clusterRun) outcome(p *plan) placement.ClusterOutcome {
	out := placement.ClusterOutcome{
		Name: c.name, UID: c.uid, Scheduled: c.decision.Selected, Reason: c.decision.Reason,
		Objects: len(c.items), ResourceIndex: p.index(), Overridden: c.overridden, Reporting: p.reporting(),
	}
	if c.held != "" {
		out.Held, out.ResourceIndex = c.held, ""
		if c.inventory != nil {
			out.ResourceIndex = strconv.FormatInt(c.inventory.ResourceIndex, 10)
		}
	}
	if c.overrideErr != nil {
		out.OverrideFailed = c.overrideErr.Error()
	}
	if out.UID == "" {
		out.UID = priorUID(p.request.Prior, c.name)
	}
	if problem := c.problem(); problem != nil {
		out.Unreachable = problem.Error()
		out.ResourceIndex = ""
		if p.request.Prior != nil {
			out.ResourceIndex = p.request.Prior.Clusters[c.name].ObservedResourceIndex
		}
	}
	for _, i := range c.all() {
		switch o := c.done[i]; {
		case o == nil:
		case o.failure != nil:
			out.Failed = append(out.Failed, placement.FailedPlacement{Identifier: i.Identifier, Condition: *o.failure})
		case o.waiting != nil:
			out.Waiting = append(out.Waiting, placement.FailedPlacement{Identifier: i.Identifier, Condition: *o.waiting})
		case o.untracked:
			out.Untracked++
		}
	}
	c.observe(p, &out)
	return out
}

// observe adds what was seen of differences and drifts, with the times at which that was.
func (c *clusterRun) observe(p *plan, out *placement.ClusterOutcome) {
	if c.problem() != nil || c.held != "" {
		return
	}
	var prior placement.ClusterStatus
	if p.request.Prior != nil {
		prior = p.request.Prior.Clusters[c.name]
	}
	for _, i := range c.items {
		if len(i.ObservedDiffs) > 0 {
			out.Diffed = append(out.Diffed, placement.NewDiffed(i.Identifier, i.ObservedDiffs, generationOf(i), prior, p.at))
		}
		if len(i.ObservedDrifts) > 0 {
			out.Drifted = append(out.Drifted, placement.NewDrifted(i.Identifier, i.ObservedDrifts, generationOf(i), prior, p.at))
		}
	}
}

// problem is why the cluster's state is not known.
func (c *clusterRun) problem() error {
	if c.err != nil {
		return c.err
	}
	return c.lost()
}

// observe derives the status without writing: what a refresh sees. An object that is not as it should be keeps the failure that the last
// apply reported for it.
func (p *plan) observe(e *Engine) placement.Status {
	r := newRun(e, p)
	for _, c := range p.clusters {
		seen := r.clusters[c.name]
		if c.err != nil {
			continue
		}
		if c.touched(p) {
			seen.held = heldBefore(p.request.Prior, c.name)
		}
		for _, i := range c.items {
			switch i.Action {
			case engine.ActionNone:
				i.detectDrift(p, i.live)
				seen.done[i] = &outcome{}
				seen.assess(i)
			case engine.ActionReport:
				seen.recordReport(i)
			case engine.ActionRefuse:
				seen.fail(i, i.Reason, i.Message)
			default:
				known := p.known(c.name, i.Key())
				seen.fail(i, known.Reason, known.Message)
			}
		}
	}
	// What an apply would count further is not placed yet.
	if p.recorded != nil {
		p.generated.Generation, p.generated.ResourceIndex = p.recorded.Generation, p.recorded.ResourceIndex
	}
	status := r.status()
	for name, cluster := range status.Clusters {
		if c := r.clusters[name]; c != nil && c.err == nil && c.inventory != nil {
			cluster.ObservedResourceIndex = strconv.FormatInt(c.inventory.ResourceIndex, 10)
			status.Clusters[name] = cluster
		}
	}
	return status
}

// known is the failure that the prior status has for an object, or that the object waits to be written.
func (p *plan) known(cluster string, key manifest.Key) placement.Condition {
	if p.request.Prior != nil {
		for _, failed := range p.request.Prior.Clusters[cluster].FailedPlacements {
			if failed.Key() == key && failed.Condition.Type == placement.Applied {
				return failed.Condition
			}
		}
	}
	return placement.Condition{Reason: "PreparingToProcess", Message: "The object on the cluster is not as it is to be placed; the next apply writes it."}
}
