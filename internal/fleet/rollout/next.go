package rollout

import (
	"cmp"
	"slices"
	"time"
)

// Step is the next step of a rollout.
type Step struct {
	// Start lists the clusters on which to start a creation or an update, in this order: updates of failed clusters, other updates, creations, each by name.
	// Remove lists the clusters from which to delete the objects, by name. All changes may run in parallel; the caller calls Next again without waiting for all
	// of them.
	Start, Remove []string
	// Waiting maps the names of the other clusters with a change to the reasons why they wait.
	Waiting map[string]string
	// Holding lists by name the clusters that do not work, and on which no change was started now. Other clusters wait for them, so they are the
	// cause if the caller's timeout expires.
	Holding []string
	// Done reports that all clusters have the newest version and are available.
	Done bool
	// Stuck lists the clusters that block the rollout until a user intervenes: the clusters that fail or are unreachable. If there are no such clusters and the
	// settings block the rollout, Stuck lists the clusters that wait. Stuck is empty while a change is in progress on a cluster, however long it takes.
	// KubeFleet has no deadline, so the caller sets one.
	Stuck []string
	// CheckAfter is the time after which to call Next again if no state changes earlier. It is 0 if Done. As in KubeFleet, it is the unavailable period or, if
	// shorter, the time until the next available cluster counts as working, and at least a second. It is a second if every cluster either works or does not
	// have the placement yet.
	CheckAfter time.Duration
	// Budget has the numbers of the decision, for the log.
	Budget Budget
}

// Budget has the numbers from which a step is computed.
type Budget struct {
	// Target is the number of clusters that the policy requests, and Picked is the number of clusters that the scheduler picked.
	Target, Picked int
	// Working is the number of clusters that work, and Occupied is the number of clusters that count for max_surge.
	Working, Occupied int
	// MaxUnavailable and MaxSurge are the settings as numbers of clusters.
	MaxUnavailable, MaxSurge int
	// ToChange is how many working clusters may be changed or removed, ToRepair how many unavailable clusters may be updated, and ToAdd how many
	// clusters may get the placement. A negative number means none, like 0.
	ToChange, ToRepair, ToAdd int
}

// Next decides which clusters may change now. The order of the clusters is irrelevant.
func Next(s Settings, clusters []Cluster, now time.Time) Step {
	r := newStepBuilder(s, clusters, now)
	// KubeFleet's order: failed ones, removals, updates, creations. Removals and updates share a budget.
	r.startAll(Update, func(status clusterStatus) *int { return r.unlimitedIf(status == statusFailing) })
	r.startAll(Remove, func(status clusterStatus) *int {
		if status == statusWorking || status == statusProving {
			return &r.left.ToChange
		}
		return r.unlimitedIf(status == statusBroken || status == statusFailing)
	})
	r.startAll(Update, func(status clusterStatus) *int {
		switch status {
		case statusWorking, statusProving:
			return &r.left.ToChange
		case statusBroken:
			return &r.left.ToRepair
		case statusAbsent, statusFailing, statusUnreachable, statusRemoving:
		}
		return nil
	})
	r.startAll(Create, func(status clusterStatus) *int {
		if status == statusAbsent {
			return &r.left.ToAdd
		}
		return nil
	})
	return r.finish()
}

type candidate struct {
	Cluster
	status  clusterStatus
	wait    time.Duration
	started bool
}

type stepBuilder struct {
	settings   Settings
	candidates []candidate
	step       Step
	// left is the remaining budget. unlimited is a budget for changes that need none.
	left      Budget
	unlimited int
}

func newStepBuilder(s Settings, clusters []Cluster, now time.Time) *stepBuilder {
	r := &stepBuilder{settings: s}
	for _, c := range clusters {
		status, wait := c.evaluate(s, now)
		r.candidates = append(r.candidates, candidate{Cluster: c, status: status, wait: wait})
	}
	slices.SortStableFunc(r.candidates, func(a, b candidate) int { return cmp.Compare(a.Name, b.Name) })
	r.step.Budget = computeBudget(s, r.candidates)
	r.left = r.step.Budget
	return r
}

func computeBudget(s Settings, candidates []candidate) Budget {
	b := Budget{Target: s.Target}
	unfinished := 0
	for _, c := range candidates {
		if c.Change != Remove {
			b.Picked++
		}
		if c.status == statusWorking {
			b.Working++
		}
		if c.isOccupied(c.status) {
			b.Occupied++
		}
		if c.Change == None && (c.status == statusBroken || c.status == statusFailing) {
			unfinished++
		}
	}
	// Clusters that the scheduler did not find cannot become unavailable.
	target := min(b.Target, b.Picked)
	b.MaxUnavailable, b.MaxSurge = s.MaxUnavailable.Of(target), s.MaxSurge.Of(b.Target)
	b.ToChange = s.maxToChange(target, b.Working)
	b.ToAdd = s.maxToAdd(b.Target, b.Occupied)
	// The newest version must become available on a few broken clusters before the next broken clusters are updated. At least one broken cluster is updated at
	// a time, so that max_unavailable 0 cannot keep a placement broken forever. This update loses no working cluster.
	b.ToRepair = max(b.MaxUnavailable, 1) - unfinished
	return b
}

// unlimitedIf returns an unlimited budget, or nil if yes is false.
func (r *stepBuilder) unlimitedIf(yes bool) *int {
	if !yes {
		return nil
	}
	r.unlimited = len(r.candidates)
	return &r.unlimited
}

// startAll starts a kind of change on clusters in the order of their names, within the budget. budget returns the remaining budget for clusters with a status,
// or nil if the change must not start on them.
func (r *stepBuilder) startAll(change Change, budget func(clusterStatus) *int) {
	for i := range r.candidates {
		c := &r.candidates[i]
		if c.Change != change || c.started {
			continue
		}
		left := budget(c.status)
		if left == nil || *left <= 0 {
			continue
		}
		*left--
		c.started = true
		if change == Remove {
			r.step.Remove = append(r.step.Remove, c.Name)
		} else {
			r.step.Start = append(r.step.Start, c.Name)
		}
	}
}

func (r *stepBuilder) finish() Step {
	step := &r.step
	step.Done = true
	for _, c := range r.candidates {
		if c.Change != None || c.status != statusWorking && c.status != statusProving {
			step.Done = false
		}
		if !c.started && c.status != statusWorking && c.status != statusAbsent {
			step.Holding = append(step.Holding, c.Name)
		}
	}
	if step.Done {
		// Proving clusters no longer block any other cluster.
		step.Holding = nil
		return *step
	}
	step.Waiting = r.waitReasons()
	step.Stuck = r.findStuck()
	step.CheckAfter = r.nextCall()
	return *step
}

// findStuck returns the clusters in Step.Stuck. It returns nil while a change is in progress, while a cluster without a change is unavailable but not failing,
// and while other clusters wait and a cluster is proving.
func (r *stepBuilder) findStuck() []string {
	var blocked, waiting []string
	for _, c := range r.candidates {
		switch {
		case c.started, c.status == statusRemoving, c.status == statusProving && len(r.step.Waiting) > 0, c.status == statusBroken && c.Change == None:
			return nil
		case c.status == statusFailing, c.status == statusUnreachable:
			blocked = append(blocked, c.Name)
		case c.Change != None:
			waiting = append(waiting, c.Name)
		}
	}
	if blocked != nil {
		return blocked
	}
	return waiting
}

func (r *stepBuilder) nextCall() time.Duration {
	next, settled := r.settings.UnavailablePeriod, true
	for _, c := range r.candidates {
		if c.status == statusProving {
			next = min(next, c.wait)
		}
		if c.status != statusWorking && c.status != statusAbsent {
			settled = false
		}
	}
	if settled {
		next = 0
	}
	return max(next, time.Second)
}
