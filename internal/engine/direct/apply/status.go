package apply

import (
	"strconv"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/plan"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberapply"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// status is what an apply has come to.
func (r *run) status() placement.Status {
	return r.statusAt(r.plan.Head.Generation, r.plan.Head.ResourceIndex)
}

// statusAt is the status with the counts of a generation and of a content.
func (r *run) statusAt(generation, index int64) placement.Status {
	var outcomes []placement.ClusterOutcome
	for _, name := range r.plan.Names() {
		c := r.clusters[name]
		if c.concerns() {
			outcomes = append(outcomes, c.outcome())
		}
	}
	outcomes = append(outcomes, r.unfilled()...)
	status := placement.NewStatus(r.plan.Content.Selected, outcomes, r.plan.Outcome.Fulfilled, strconv.FormatInt(index, 10), generation)
	status.HubUID = r.plan.Head.HubUID
	for name, seen := range status.Clusters {
		if c := r.clusters[name]; c != nil {
			seen.Unsigned = c.Unsigned()
			status.Clusters[name] = seen
		}
	}
	if r.plan.Spec.Policy.PlacementType == placement.PickN {
		status.Unfilled = max(0, r.plan.Outcome.Wanted-r.plan.Outcome.Found)
	}
	return status
}

// concerns tells whether the cluster belongs into the status: it was picked, or has objects of the placement still, as far as is known.
// A configured one that does not answer might have been picked, unless the policy names its clusters. One that is given up does not.
func (c *cluster) concerns() bool {
	if c.IsForgotten() {
		return false
	}
	if c.Decision.Selected || c.Inventory != nil && !c.Inventory.IsUnproven() {
		return true
	}
	if c.Inventory.IsUnproven() {
		return c.prior().HadObjects()
	}
	return c.Err != nil && !c.GivenUp() && (c.prior().HadObjects() || c.Client != nil && c.plan.Spec.Policy.PlacementType != placement.PickFixed)
}

// prior is what is known of the cluster from the last time.
func (c *cluster) prior() placement.ClusterStatus { return c.plan.Placement.PriorCluster(c.Name) }

// unfilled are the clusters that PickFixed names and that could not be had.
func (r *run) unfilled() []placement.ClusterOutcome {
	if r.plan.Spec.Policy.PlacementType != placement.PickFixed {
		return nil
	}
	var out []placement.ClusterOutcome
	for _, decision := range r.plan.Outcome.Decisions {
		c := r.plan.Cluster(decision.Cluster)
		known := c != nil && (c.Decision.Selected || c.Inventory != nil)
		if !decision.Selected && !known {
			one := placement.ClusterOutcome{Name: decision.Cluster, Reason: decision.Reason, Reporting: r.plan.Reports()}
			if c != nil && c.Err != nil && !c.GivenUp() {
				one.Unreachable = c.Err.Error()
			}
			out = append(out, one)
		}
	}
	return out
}

// outcome is what is known of the cluster.
func (c *cluster) outcome() placement.ClusterOutcome {
	out := placement.ClusterOutcome{
		Name: c.Name, UID: c.UID, Scheduled: c.Decision.Selected, Reason: c.Decision.Reason, Held: c.held,
		Objects: len(c.Items), ResourceIndex: c.resourceIndex(), Reporting: c.plan.Reports(),
	}
	for _, o := range c.Overridden {
		if o.Namespace == "" {
			out.ClusterResourceOverrides = append(out.ClusterResourceOverrides, o.Name)
		} else {
			out.ResourceOverrides = append(out.ResourceOverrides, placement.NamespacedName(o))
		}
	}
	if c.OverrideErr != nil {
		out.OverrideFailed = c.OverrideErr.Error()
	}
	if out.UID == "" {
		out.UID = c.prior().ClusterUID
	}
	if problem := c.problem(); problem != nil {
		out.Unreachable = problem.Error()
	}
	for _, i := range c.All() {
		switch o := c.Outcome(&i.Object); {
		case o == nil:
		case o.Failure != nil:
			out.Failed = append(out.Failed, placement.FailedPlacement{Identifier: i.Identifier, Condition: *o.Failure})
		case o.Waiting != nil:
			out.Waiting = append(out.Waiting, placement.FailedPlacement{Identifier: i.Identifier, Condition: *o.Waiting})
		case o.Pending:
			out.Pending++
		case o.Untracked:
			out.Untracked++
		}
	}
	if c.problem() == nil && c.held == nil {
		out.Diffed, out.Drifted = c.observations()
	}
	return out
}

// resourceIndex is the content that the cluster has by its inventory, or by the last status where the inventory is not known, or is lost, older or not
// verified, and was not written since. A cluster to which the placement has not come yet has none.
func (c *cluster) resourceIndex() string {
	if c.problem() != nil || c.Inventory == nil || (c.RecordLost || c.Inventory.IsUnproven()) && !c.writtenAhead {
		return c.prior().ObservedResourceIndex
	}
	return strconv.FormatInt(c.Inventory.ResourceIndex, 10)
}

// observations are what was seen of differences and drifts, with the times at which that was.
func (c *cluster) observations() (diffed []placement.DiffedPlacement, drifted []placement.DriftedPlacement) {
	prior, at := c.prior(), c.plan.At
	for _, i := range c.Items {
		if len(i.ObservedDiffs) > 0 {
			diffed = append(diffed, placement.NewDiffed(i.Identifier, i.ObservedDiffs, memberapply.Generation(&i.Object), prior, at))
		}
		if drifts := c.drifts(i); len(drifts) > 0 {
			drifted = append(drifted, placement.NewDrifted(i.Identifier, drifts, memberapply.Generation(&i.Object), prior, at))
		}
	}
	return diffed, drifted
}

// drifts are what others have changed of an object since it was applied: what the strategy has been asked to look for, or else what the next
// apply brings back.
func (c *cluster) drifts(i *plan.Item) []placement.PatchDetail {
	o := c.Outcome(&i.Object)
	if len(i.ObservedDrifts) > 0 || o == nil || !o.Pending || !i.Known || i.Entry.Hash != i.Hash {
		return i.ObservedDrifts
	}
	if i.Live == nil {
		return diff.Missing().Patches
	}
	return diff.Details(i.Differences)
}

// Observe derives the status without writing: what a refresh sees. An object that is not as it should be keeps the failure that the last
// apply reported for it; one that had none waits for the next apply.
func Observe(p *plan.Plan) placement.Status {
	r := newRun(nil, p, Options{}, engine.OperationApply)
	for _, c := range r.clusters {
		if c.Err == nil {
			c.observe()
		}
	}
	// What an apply would count further is not placed yet.
	generation, index := p.Head.Generation, p.Head.ResourceIndex
	if p.Recorded != nil {
		generation, index = p.Recorded.Generation, p.Recorded.ResourceIndex
	}
	status := r.statusAt(generation, index)
	for name, c := range r.clusters {
		if c.LeavesUnrecorded() { // the next plan says what becomes of it
			status.Clusters[name] = c.prior()
		}
	}
	return status
}

// observe notes what is to be told of the cluster's objects as they are.
func (c *cluster) observe() {
	if c.Touched() {
		c.held = c.prior().HeldBack()
	}
	for _, i := range c.Items {
		if !i.Action.Writes() {
			c.RecordLeft(&i.Object)
			continue
		}
		if known := c.known(i.Key()); known != nil {
			c.Fail(&i.Object, placement.Applied, known.Reason, known.Message)
		} else {
			c.Record(&i.Object, memberapply.Outcome{Pending: true})
		}
	}
	c.Assess(plan.ObjectsOf(c.Items))
}

// known is the failure that the prior status has for an object; nil for none.
func (c *cluster) known(key manifest.Key) *placement.Condition {
	for _, failed := range c.prior().FailedPlacements {
		if failed.Key() == key && failed.Condition.Type == placement.Applied {
			return &failed.Condition
		}
	}
	return nil
}
