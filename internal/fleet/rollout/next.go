package rollout

import (
	"cmp"
	"slices"
	"time"
)

// Step is what a driver does now.
type Step struct {
	// Start lists the clusters to create or update, in the order in which they are to be started: failed ones, updates, creations, each by
	// name. Remove lists those to empty. All of them may be done side by side; the driver asks again without waiting for all.
	Start, Remove []string
	// Waiting says of every other cluster with a change why it waits.
	Waiting map[string]string
	// Holding lists the clusters that are not working and were not started now, by name: the others wait for them. When the driver's
	// patience ends, it is because of these.
	Holding []string
	// Done tells that all clusters are at the newest version and available.
	Done bool
	// Stuck lists the clusters because of which nothing can go on without help: those that fail or cannot be reached or, where the settings
	// alone forbid it, those that wait. It is empty while a cluster is on its way, however long it takes: upstream has no deadline, so that
	// one is the driver's.
	Stuck []string
	// LookAgain is when to ask again if no state changes before; 0 when Done. It is upstream's: the unavailable period or, if it is shorter,
	// the time until the first cluster has proved itself; at least a second.
	LookAgain time.Duration
	// Budget has the numbers behind it, for the log.
	Budget Budget
}

// Budget is the arithmetic of a step.
type Budget struct {
	// Target is how many clusters the policy wants; Picked how many were found.
	Target, Picked int
	// Working and Occupied are how many clusters work, and how many may have objects of the placement.
	Working, Occupied int
	// MaxUnavailable and MaxSurge are the numbers that the settings stand for.
	MaxUnavailable, MaxSurge int
	// ToChange, ToRepair and ToAdd are how many clusters that work may be changed or removed, how many that do not may be updated, and how
	// many may be created; negative numbers mean none, as 0 does.
	ToChange, ToRepair, ToAdd int
}

// Next decides which clusters may change now. The order of the clusters means nothing.
func Next(s Settings, clusters []Cluster, now time.Time) Step {
	r := newRoll(s, clusters, now)
	// Upstream's order: failed ones, removals, updates, creations. Removals and updates share a budget.
	r.each(Update, func(is standing) *int { return r.freeIf(is == failing) })
	r.each(Remove, func(is standing) *int {
		if is == working || is == proving {
			return &r.left.ToChange
		}
		return r.freeIf(is == broken || is == failing)
	})
	r.each(Update, func(is standing) *int {
		switch is {
		case working, proving:
			return &r.left.ToChange
		case broken:
			return &r.left.ToRepair
		case absent, failing, lost, leaving:
		}
		return nil
	})
	r.each(Create, func(is standing) *int {
		if is == absent {
			return &r.left.ToAdd
		}
		return nil
	})
	return r.finish()
}

// candidate is a cluster with its standing.
type candidate struct {
	Cluster
	is      standing
	wait    time.Duration
	started bool
}

// roll is one step in the making.
type roll struct {
	settings   Settings
	candidates []candidate
	step       Step
	// left is the budget that is not given away yet, and free a number that does not end.
	left Budget
	free int
}

func newRoll(s Settings, clusters []Cluster, now time.Time) *roll {
	r := &roll{settings: s}
	for _, c := range clusters {
		is, wait := c.judge(s, now)
		r.candidates = append(r.candidates, candidate{Cluster: c, is: is, wait: wait})
	}
	slices.SortStableFunc(r.candidates, func(a, b candidate) int { return cmp.Compare(a.Name, b.Name) })
	r.step.Budget = budgetOf(s, r.candidates)
	r.left = r.step.Budget
	return r
}

func budgetOf(s Settings, candidates []candidate) Budget {
	b := Budget{Target: s.Target}
	unfinished := 0
	for _, c := range candidates {
		if c.Change != Remove {
			b.Picked++
		}
		if c.is == working {
			b.Working++
		}
		if c.occupies(c.is) {
			b.Occupied++
		}
		if c.Change == None && (c.is == broken || c.is == failing) {
			unfinished++
		}
	}
	// Clusters that nobody has found cannot become unavailable.
	target := min(b.Target, b.Picked)
	b.MaxUnavailable, b.MaxSurge = s.MaxUnavailable.Of(target), s.MaxSurge.Of(b.Target)
	b.ToChange = s.toChange(target, b.Working)
	b.ToAdd = s.toAdd(b.Target, b.Occupied)
	// The newest version has to prove itself on a few broken clusters before it reaches the next ones. One at a time takes nothing away from
	// anybody, so that max_unavailable 0 does not keep a placement broken for ever.
	b.ToRepair = max(b.MaxUnavailable, 1) - unfinished
	return b
}

// freeIf is a budget without an end, or none.
func (r *roll) freeIf(yes bool) *int {
	if !yes {
		return nil
	}
	r.free = len(r.candidates)
	return &r.free
}

// each starts the clusters with a change for which there is budget, by name.
func (r *roll) each(change Change, budget func(standing) *int) {
	for i := range r.candidates {
		c := &r.candidates[i]
		if c.Change != change || c.started {
			continue
		}
		left := budget(c.is)
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

func (r *roll) finish() Step {
	step := &r.step
	step.Done = true
	for _, c := range r.candidates {
		if c.Change != None || c.is != working && c.is != proving {
			step.Done = false
		}
		if !c.started && c.is != working && c.is != absent {
			step.Holding = append(step.Holding, c.Name)
		}
	}
	if step.Done {
		// What has yet to prove itself holds nobody up any more.
		step.Holding = nil
		return *step
	}
	step.Waiting = r.waiting()
	step.Stuck = r.stuck()
	step.LookAgain = r.lookAgain()
	return *step
}

// stuck names the clusters that keep a roll from ever going on. A cluster that has to prove itself only matters to those that wait.
func (r *roll) stuck() []string {
	var hopeless, waiting []string
	for _, c := range r.candidates {
		switch {
		case c.started, c.is == leaving, c.is == proving && len(r.step.Waiting) > 0, c.is == broken && c.Change == None:
			return nil
		case c.is == failing, c.is == lost:
			hopeless = append(hopeless, c.Name)
		case c.Change != None:
			waiting = append(waiting, c.Name)
		}
	}
	if hopeless != nil {
		return hopeless
	}
	return waiting
}

func (r *roll) lookAgain() time.Duration {
	next, settled := r.settings.UnavailablePeriod, true
	for _, c := range r.candidates {
		if c.is == proving {
			next = min(next, c.wait)
		}
		if c.is != working && c.is != absent {
			settled = false
		}
	}
	if settled {
		next = 0
	}
	return max(next, time.Second)
}
