package rolling

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/rollout"
)

// Cluster is a cluster of a rollout.
type Cluster interface {
	// Write updates the cluster to the newest version, or removes the placement from it. first is true for a cluster in the first step, and for a cluster whose
	// workloads do not change: the caller has prepared such a cluster before the first write to any cluster.
	Write(ctx context.Context, first bool)
	// Watch waits until the written objects are available or cannot become available. It returns an error only if the context has ended.
	Watch(ctx context.Context) error
	// State returns the cluster's state. Trackable reports whether the availability of all its objects is known.
	State() rollout.State
	Trackable() bool
	// SetNotStarted records why the rollout has not reached the cluster.
	SetNotStarted(why string)
}

// A Rollout is a rolling update in progress.
type Rollout struct {
	settings rollout.Settings
	clusters map[string]Cluster
	progress func(rollout.Step)
	// mu guards states and writing, which the clusters' goroutines change.
	mu     sync.Mutex
	states map[string]*rollout.Cluster
	// changed receives a value when a state has changed. busy counts the clusters that are being written to or watched.
	changed chan struct{}
	busy    sync.WaitGroup
	// writing is the number of clusters that are being written to. It decides whether progress is still possible.
	writing int
}

// New returns a rollout over clusters by name. states are the initial states of the clusters that take part in the rollout. On clusters without a state, no
// workload changes. progress, if not nil, is called with every step that starts a write.
func New(settings rollout.Settings, clusters map[string]Cluster, states []rollout.Cluster, progress func(rollout.Step)) *Rollout {
	out := &Rollout{
		settings: settings, clusters: clusters, progress: progress, states: map[string]*rollout.Cluster{}, changed: make(chan struct{}, 1),
	}
	for _, one := range states {
		out.states[one.Name] = &one
	}
	return out
}

// Next returns the next step and records that its clusters have started. The caller must pass the first step to Run.
func (r *Rollout) Next() rollout.Step {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []rollout.Cluster
	for _, name := range slices.Sorted(maps.Keys(r.states)) {
		list = append(list, *r.states[name])
	}
	step := rollout.Next(r.settings, list, time.Now())
	for _, name := range step.Start {
		r.states[name].Change, r.states[name].State = rollout.None, rollout.Applying
	}
	for _, name := range step.Remove {
		r.states[name].State = rollout.Removing
	}
	r.writing += len(step.Start) + len(step.Remove)
	return step
}

// Run writes to the clusters of step, the first step from Next, and to the other clusters when they are due. It returns when all clusters have been written to,
// even if some are not available yet. It also returns if no progress is possible, or if ctx ends. Run calls SetNotStarted for the clusters that it did not
// reach.
func (r *Rollout) Run(ctx context.Context, step rollout.Step) {
	watchCtx, stop := context.WithCancel(ctx)
	defer func() {
		stop()
		r.busy.Wait()
	}()
	for _, name := range r.listUnchanged(step) {
		r.busy.Go(func() { r.writeUnchanged(ctx, watchCtx, name) })
	}
	for first := true; ; first = false {
		if r.progress != nil && len(step.Start)+len(step.Remove) > 0 {
			r.progress(step)
		}
		for _, name := range slices.Concat(step.Start, step.Remove) {
			r.busy.Go(func() { r.writeAndWatch(ctx, watchCtx, name, first) })
		}
		if len(step.Waiting) == 0 && r.isIdle() {
			return
		}
		if len(step.Stuck) > 0 && r.isIdle() {
			r.holdWaiting(step)
			return
		}
		timer := time.NewTimer(max(step.CheckAfter, time.Second))
		select {
		case <-ctx.Done():
			timer.Stop()
			r.holdWaiting(step)
			return
		case <-r.changed:
		case <-timer.C:
		}
		timer.Stop()
		step = r.Next()
	}
}

// listUnchanged returns the clusters without a change of their workloads. These clusters do not wait for other clusters.
func (r *Rollout) listUnchanged(step rollout.Step) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(r.clusters)) {
		state := r.states[name]
		if state == nil || state.Change == rollout.None && !slices.Contains(step.Start, name) {
			names = append(names, name)
		}
	}
	return names
}

// writeUnchanged writes to a cluster without a change of its workloads. If the cluster takes part in the rollout and is not ready, writeUnchanged watches the
// cluster, because other clusters wait for it.
func (r *Rollout) writeUnchanged(ctx, watchCtx context.Context, name string) {
	c := r.clusters[name]
	c.Write(ctx, true)
	r.mu.Lock()
	isWaitedFor := r.states[name] != nil
	r.mu.Unlock()
	if !isWaitedFor || c.State() != rollout.NotReady {
		return
	}
	if err := c.Watch(watchCtx); err == nil {
		r.recordState(name, false)
	}
}

// writeAndWatch writes to one cluster, then watches this cluster until its objects are available or cannot become available, or until Run returns.
func (r *Rollout) writeAndWatch(ctx, watchCtx context.Context, name string, first bool) {
	c := r.clusters[name]
	c.Write(ctx, first)
	if r.recordState(name, true) != rollout.NotReady {
		return
	}
	if err := c.Watch(watchCtx); err == nil || watchCtx.Err() == nil {
		r.recordState(name, false)
	}
}

func (r *Rollout) recordState(name string, isWritten bool) rollout.State {
	state, trackable := r.clusters[name].State(), r.clusters[name].Trackable()
	r.mu.Lock()
	current := r.states[name]
	if current.Change == rollout.Remove && state == rollout.Ready {
		delete(r.states, name)
	} else {
		current.State, current.Trackable = state, trackable
		if state == rollout.Ready && current.AvailableSince.IsZero() {
			current.AvailableSince = time.Now()
		}
	}
	if isWritten {
		r.writing--
	}
	r.mu.Unlock()
	select {
	case r.changed <- struct{}{}:
	default:
	}
	return state
}

func (r *Rollout) isIdle() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.writing == 0
}

func (r *Rollout) holdWaiting(step rollout.Step) {
	for name, reason := range step.Waiting {
		r.clusters[name].SetNotStarted(reason)
	}
}
