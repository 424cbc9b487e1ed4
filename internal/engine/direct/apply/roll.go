package apply

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/rollout"
)

// roll brings the plan to the clusters as the rolling update allows. rollout.Next decides; this drives it: it starts clusters, watches
// them, and asks again whenever one of them has come further.
type roll struct {
	*run
	settings rollout.Settings
	// mu guards the standings, which the clusters' own goroutines change.
	mu       sync.Mutex
	standing map[string]*rollout.Cluster
	// moved has a token when a standing has changed; busy counts the clusters that are being written to.
	moved chan struct{}
	busy  sync.WaitGroup
	// writing counts the same clusters, for the decision whether anything can still go on.
	writing int
}

func (r *run) newRoll() (*roll, error) {
	wanted := r.plan.Outcome.Wanted
	for _, c := range r.clusters {
		if c.Err != nil && c.Decision.Selected {
			wanted--
		}
	}
	settings, err := rollout.ParseSettings(*r.plan.Spec.Strategy.RollingUpdate, wanted)
	if err != nil {
		return nil, err
	}
	out := &roll{run: r, settings: settings, standing: map[string]*rollout.Cluster{}, moved: make(chan struct{}, 1)}
	for _, c := range r.clusters {
		if standing := c.standing(); standing != nil {
			out.standing[c.Name] = standing
		}
	}
	return out, nil
}

// standing is where a cluster is before anything is done; nil for one that the placement is not on and not meant for, and for one that
// only its records have to be written on: no workload is touched by that.
func (c *cluster) standing() *rollout.Cluster {
	out := &rollout.Cluster{Name: c.Name, Change: rollout.None, State: rollout.Ready, Trackable: true}
	switch {
	case !c.Decision.Selected && c.Inventory == nil:
		return nil
	case c.Err != nil:
		// Whether it works is not known. A member that is down must not hold up the others, so it takes no part.
		return nil
	case c.OverrideErr != nil:
		out.State = rollout.Failing
		return out
	case !c.Decision.Selected:
		out.Change = rollout.Remove
	case c.Inventory == nil:
		out.Change = rollout.Create
	case c.Writes():
		out.Change = rollout.Update
	case c.Touched():
		return nil
	}
	if out.Change != rollout.Create && !c.working() {
		out.State = rollout.NotReady
	}
	return out
}

// working tells whether every object that the placement has on the cluster is there and available.
func (c *cluster) working() bool {
	for _, i := range c.Items {
		if !i.Action.Places() {
			continue // not the placement's, or not its business
		}
		if i.Live == nil {
			if i.Known {
				return false
			}
			continue
		}
		if availability, _ := rollout.AvailabilityOf(i.Live, i.Mapping.GVR.Resource); availability == rollout.NotYet || availability == rollout.Failed {
			return false
		}
	}
	return true
}

// first are the clusters that may be written to at once: those whose turn it is, and those that only need their records written.
func (r *roll) first() (rollout.Step, []string) {
	step := r.next()
	names := slices.Concat(step.Start, step.Remove)
	for _, c := range r.clusters {
		if r.standing[c.Name] == nil && c.Touched() {
			names = append(names, c.Name)
		}
	}
	return step, names
}

// next asks what may be done now, and notes what is being started.
func (r *roll) next() rollout.Step {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []rollout.Cluster
	for _, name := range slices.Sorted(maps.Keys(r.standing)) {
		list = append(list, *r.standing[name])
	}
	step := rollout.Next(r.settings, list, time.Now())
	for _, name := range step.Start {
		r.standing[name].Change, r.standing[name].State = rollout.None, rollout.Applying
	}
	for _, name := range step.Remove {
		r.standing[name].State = rollout.Removing
	}
	r.writing += len(step.Start) + len(step.Remove)
	return step
}

// carry writes to the clusters of the first step, which are announced, and to the others as their turn comes. It returns when all are
// done, when nothing can go on, or when the time is over; clusters that it did not come to are held, with the reason.
func (r *roll) carry(ctx context.Context, step rollout.Step) {
	watching, stop := context.WithCancel(ctx)
	defer func() {
		stop()
		r.busy.Wait()
	}()
	for _, name := range r.others(step) {
		r.busy.Go(func() { r.attend(ctx, watching, name) })
	}
	for began := true; ; began = false {
		r.tell(step)
		for _, name := range slices.Concat(step.Start, step.Remove) {
			r.busy.Go(func() { r.bring(ctx, watching, name, began) })
		}
		if len(step.Waiting) == 0 && r.idle() {
			return
		}
		if len(step.Stuck) > 0 && r.idle() {
			r.hold(step)
			return
		}
		timer := time.NewTimer(max(step.LookAgain, time.Second))
		select {
		case <-ctx.Done():
			timer.Stop()
			r.hold(step)
			return
		case <-r.moved:
		case <-timer.C:
		}
		timer.Stop()
		step = r.next()
	}
}

// tell reports a step that starts something.
func (r *roll) tell(step rollout.Step) {
	if r.options.Progress == nil || len(step.Start)+len(step.Remove) == 0 {
		return
	}
	r.options.Progress("rolling out", map[string]any{
		"placement": r.plan.Placement.Name, "start": step.Start, "remove": step.Remove, "waiting": len(step.Waiting), "holding": step.Holding,
	})
}

// others are the clusters without a change of their workload: they wait for nobody.
func (r *roll) others(step rollout.Step) []string {
	var names []string
	for _, name := range r.plan.Names() {
		standing := r.standing[name]
		if standing == nil || standing.Change == rollout.None && !slices.Contains(step.Start, name) {
			names = append(names, name)
		}
	}
	return names
}

// attend takes note of a cluster on which no object has to be written, and writes its records where they have to be. One that does not
// work yet is watched: others wait for it.
func (r *roll) attend(ctx, watching context.Context, name string) {
	c := r.clusters[name]
	c.write(ctx)
	c.assess()
	r.mu.Lock()
	waitedFor := r.standing[name] != nil
	r.mu.Unlock()
	if !waitedFor || c.State() != rollout.NotReady {
		return
	}
	if err := c.Await(watching); err == nil {
		r.move(name, c.State(), false)
	}
}

// idle tells whether no cluster is being written to.
func (r *roll) idle() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.writing == 0
}

// bring writes to one cluster and then watches it until it works, or nobody waits for it any more.
func (r *roll) bring(ctx, watching context.Context, name string, announced bool) {
	c := r.clusters[name]
	if !announced {
		if err := c.announce(ctx); err != nil {
			c.blocked = err
		}
	}
	c.write(ctx)
	c.assess()
	state := c.State()
	r.move(name, state, true)
	if state != rollout.NotReady {
		return
	}
	if err := c.Await(watching); err == nil || watching.Err() == nil {
		r.move(name, c.State(), false)
	}
}

// move notes what has become of a cluster and wakes the driver.
func (r *roll) move(name string, state rollout.State, written bool) {
	r.mu.Lock()
	standing := r.standing[name]
	if standing.Change == rollout.Remove && state == rollout.Ready {
		delete(r.standing, name)
	} else {
		standing.State, standing.Trackable = state, r.clusters[name].Trackable()
		if state == rollout.Ready && standing.AvailableSince.IsZero() {
			standing.AvailableSince = time.Now()
		}
	}
	if written {
		r.writing--
	}
	r.mu.Unlock()
	select {
	case r.moved <- struct{}{}:
	default:
	}
}

// hold notes which clusters the rollout has not come to, and why.
func (r *roll) hold(step rollout.Step) {
	for name, reason := range step.Waiting {
		r.clusters[name].held = placement.NotStarted(reason)
	}
}

// heldBefore is the condition of a cluster that the last apply did not come to; nil for others.
func heldBefore(prior placement.ClusterStatus) *placement.Condition {
	condition, found := prior.Condition(placement.RolloutStarted)
	if !found || condition.Status != placement.False {
		return nil
	}
	return &condition
}
