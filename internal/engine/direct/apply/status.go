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

func (r *run) status() placement.Status {
	return r.statusAt(r.plan.Head.Generation, r.plan.Head.ResourceIndex)
}

func (r *run) statusAt(generation, index int64) placement.Status {
	var outcomes []placement.ClusterOutcome
	for _, name := range r.plan.Names() {
		c := r.clusters[name]
		if c.isInStatus() {
			outcomes = append(outcomes, c.outcome())
		}
	}
	outcomes = append(outcomes, r.unfilled()...)
	status := placement.NewStatus(r.plan.Placement.Namespace, r.plan.Content.Selected, outcomes, r.plan.Outcome.Fulfilled, strconv.FormatInt(index, 10), generation)
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

// isInStatus reports whether the status includes the cluster: it is picked, or has a record of the placement. If the record does not verify, or the cluster
// cannot be read, the last status decides whether the placement has objects there. If the policy does not name its clusters, the status also includes a
// configured cluster that does not respond, because it could have been picked. The status omits abandoned clusters.
func (c *cluster) isInStatus() bool {
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

func (c *cluster) prior() placement.ClusterStatus { return c.plan.Placement.PriorCluster(c.Name) }

// unfilled returns the outcomes of the clusters that PickFixed names, that could not be picked, and that are not in the status for another reason.
func (r *run) unfilled() []placement.ClusterOutcome {
	if r.plan.Spec.Policy.PlacementType != placement.PickFixed {
		return nil
	}
	var out []placement.ClusterOutcome
	for _, decision := range r.plan.Outcome.Decisions {
		c := r.clusters[decision.Cluster]
		if decision.Selected || c != nil && c.isInStatus() {
			continue
		}
		one := placement.ClusterOutcome{Name: decision.Cluster, Reason: decision.Reason, Reporting: r.plan.Reports()}
		if c != nil && c.Err != nil && !c.GivenUp() {
			one.Unreachable = c.Err.Error()
		}
		out = append(out, one)
	}
	return out
}

func (c *cluster) outcome() placement.ClusterOutcome {
	out := placement.ClusterOutcome{
		Name: c.Name, UID: c.UID, Scheduled: c.Decision.Selected, Reason: c.Decision.Reason, Held: c.notStarted,
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
	if c.problem() == nil && c.notStarted == nil {
		out.Diffed, out.Drifted = c.observations()
	}
	return out
}

// resourceIndex returns the resource index of the cluster's content according to its inventory. If the inventory is unknown, or if it is lost, outdated or
// unverified and has not been written since, resourceIndex returns the index in the last status. It returns "" for a cluster that the placement has not
// reached yet.
func (c *cluster) resourceIndex() string {
	if c.problem() != nil || c.Inventory == nil || (c.RecordLost || c.Inventory.IsUnproven()) && !c.writtenAhead {
		return c.prior().ObservedResourceIndex
	}
	return strconv.FormatInt(c.Inventory.ResourceIndex, 10)
}

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

// drifts returns the changes that others have made to an object since it was applied: the observed drifts, or, if the strategy observes none, the differences
// that the next apply reverts.
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

// Observe returns the status for a refresh and writes nothing. An object that differs from the content to place keeps the failure that the last apply reported.
// If there was none, it is pending until the next apply.
func Observe(p *plan.Plan) placement.Status {
	r := newRun(nil, p, Options{}, engine.OperationApply)
	for _, c := range r.clusters {
		if c.Err == nil {
			c.observe()
		}
	}
	// The plan's head counts an apply that has not run. The status has the recorded counts.
	generation, index := p.Head.Generation, p.Head.ResourceIndex
	if p.Recorded != nil {
		generation, index = p.Recorded.Generation, p.Recorded.ResourceIndex
	}
	status := r.statusAt(generation, index)
	for name, c := range r.clusters {
		if c.LeavesUnrecorded() { // the next plan reports the remaining objects
			status.Clusters[name] = c.prior()
		}
	}
	return status
}

func (c *cluster) observe() {
	if c.Touched() {
		c.notStarted = c.prior().HeldBack()
	}
	for _, i := range c.Items {
		if !i.Action.Writes() {
			c.RecordLeft(&i.Object)
			continue
		}
		if known := c.priorFailure(i.Key()); known != nil {
			c.Fail(&i.Object, placement.Applied, known.Reason, known.Message)
		} else {
			c.Record(&i.Object, memberapply.Outcome{Pending: true})
		}
	}
	c.Assess(plan.ObjectsOf(c.Items))
}

func (c *cluster) priorFailure(key manifest.Key) *placement.Condition {
	for _, failed := range c.prior().FailedPlacements {
		if failed.Key() == key && failed.Condition.Type == placement.Applied {
			return &failed.Condition
		}
	}
	return nil
}
