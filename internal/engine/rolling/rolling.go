package rolling

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/rollout"
)

// Cluster is a cluster that a rollout works on.
type Cluster interface {
	// Write brings the cluster to the newest version, or empties it. first says that it is due from the beginning, so that what has to be
	// done before the first write to any cluster has been done for it.
	Write(ctx context.Context, first bool)
	// Watch looks at what was written until it works, or is not going to; its error is that of a context that has ended.
	Watch(ctx context.Context) error
	// State is what was made of the cluster, Trackable tells whether it is known of all objects whether they work.
	State() rollout.State
	Trackable() bool
	// Hold notes why the rollout has not come to the cluster.
	Hold(why string)
}

// Rollout is a rolling update that is under way.
type Rollout struct {
	settings rollout.Settings
	clusters map[string]Cluster
	progress func(rollout.Step)
	// mu guards the standings, which the clusters' own goroutines change.
	mu       sync.Mutex
	standing map[string]*rollout.Cluster
	// moved has a token when a standing has changed; busy counts the clusters that are being worked on.
	moved chan struct{}
	busy  sync.WaitGroup
	// writing counts those that are being written to, for the decision whether anything can still go on.
	writing int
}

// New returns a rollout over clusters by name. standing has where those are that take part in it before anything is done: the others have
// no workload that is touched. progress is told every step that starts something; nil for nobody.
func New(settings rollout.Settings, clusters map[string]Cluster, standing []rollout.Cluster, progress func(rollout.Step)) *Rollout {
	out := &Rollout{
		settings: settings, clusters: clusters, progress: progress, standing: map[string]*rollout.Cluster{}, moved: make(chan struct{}, 1),
	}
	for _, one := range standing {
		out.standing[one.Name] = &one
	}
	return out
}

// Next asks what may be done now, and notes what is being started. The first step is to be handed to Carry.
func (r *Rollout) Next() rollout.Step {
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

// Carry writes to the clusters of the first step, and to the others as their turn comes. It returns when all are done, when nothing can go
// on, or when the time is over; clusters that it did not come to are held, with the reason.
func (r *Rollout) Carry(ctx context.Context, step rollout.Step) {
	watching, stop := context.WithCancel(ctx)
	defer func() {
		stop()
		r.busy.Wait()
	}()
	for _, name := range r.others(step) {
		r.busy.Go(func() { r.attend(ctx, watching, name) })
	}
	for first := true; ; first = false {
		if r.progress != nil && len(step.Start)+len(step.Remove) > 0 {
			r.progress(step)
		}
		for _, name := range slices.Concat(step.Start, step.Remove) {
			r.busy.Go(func() { r.bring(ctx, watching, name, first) })
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
		step = r.Next()
	}
}

// others are the clusters without a change of their workload: they wait for nobody.
func (r *Rollout) others(step rollout.Step) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(r.clusters)) {
		standing := r.standing[name]
		if standing == nil || standing.Change == rollout.None && !slices.Contains(step.Start, name) {
			names = append(names, name)
		}
	}
	return names
}

// attend takes note of a cluster on which no workload has to be changed. One that does not work yet is watched: others wait for it.
func (r *Rollout) attend(ctx, watching context.Context, name string) {
	c := r.clusters[name]
	c.Write(ctx, true)
	r.mu.Lock()
	waitedFor := r.standing[name] != nil
	r.mu.Unlock()
	if !waitedFor || c.State() != rollout.NotReady {
		return
	}
	if err := c.Watch(watching); err == nil {
		r.move(name, false)
	}
}

// bring writes to one cluster and then watches it until it works, or nobody waits for it any more.
func (r *Rollout) bring(ctx, watching context.Context, name string, first bool) {
	c := r.clusters[name]
	c.Write(ctx, first)
	if r.move(name, true) != rollout.NotReady {
		return
	}
	if err := c.Watch(watching); err == nil || watching.Err() == nil {
		r.move(name, false)
	}
}

// move notes what has become of a cluster and wakes the driver.
func (r *Rollout) move(name string, written bool) rollout.State {
	state, trackable := r.clusters[name].State(), r.clusters[name].Trackable()
	r.mu.Lock()
	standing := r.standing[name]
	if standing.Change == rollout.Remove && state == rollout.Ready {
		delete(r.standing, name)
	} else {
		standing.State, standing.Trackable = state, trackable
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
	return state
}

// idle tells whether no cluster is being written to.
func (r *Rollout) idle() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.writing == 0
}

// hold notes which clusters the rollout has not come to, and why.
func (r *Rollout) hold(step rollout.Step) {
	for name, reason := range step.Waiting {
		r.clusters[name].Hold(reason)
	}
}
