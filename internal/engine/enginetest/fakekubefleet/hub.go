package fakekubefleet

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest/fakehub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Manager is the field manager of the hub agent.
const Manager = "hubagent"

const (
	// interval is the time between the hub agent's rounds if it cannot watch the hub, and after an error. The members' agents can wake the hub agent earlier.
	interval = 400 * time.Millisecond
	// rest is the pause of a member's agent that has nothing to do. The hub agent wakes the member's agent earlier if there is work.
	rest = 2 * time.Second
)

// Hub is the agents of a hub and of its members.
type Hub struct {
	set  *clusterset.Set
	stop context.CancelFunc
	done sync.WaitGroup

	mu      sync.Mutex
	paused  map[string]bool
	reports map[types.NamespacedName]report
	placed  map[types.UID]*placed
	// lastErrors are the last errors of the agents, by member, and under the empty name for the hub agent.
	lastErrors map[string]error
	// wake makes an agent run immediately, by name.
	wake map[string]chan struct{}
	// pace defines how the agents process each placement.
	pace map[engine.Reference]*pace
	// rests are the calls of Rest by the reference of the placement.
	rests fakehub.Turns
	// round is locked for reading during the rounds of agents for all placements.
	round  sync.RWMutex
	agents map[string]*memberAgent
	// scoped: namespaced placements may exist.
	scoped atomic.Bool

	changes *changes
	decoded decoded
	// changed makes the hub agent read everything again, regardless of the watches.
	changed atomic.Bool
	// last is the view of the hub agent's last round if the round wrote nothing, nil otherwise. rested is when the last round ended, and thorough when the
	// agent last processed everything.
	last             *view
	rested, thorough time.Time
}

// Start installs the CRDs on the hub and on the members, and starts the agents. The clients' field managers are ignored.
func Start(ctx context.Context, hub *kube.Cluster, members map[string]*kube.Cluster) (*Hub, error) {
	h := &Hub{
		set: clusterset.New(hub, members, 0), paused: map[string]bool{}, reports: map[types.NamespacedName]report{},
		placed: map[types.UID]*placed{}, lastErrors: map[string]error{}, pace: map[engine.Reference]*pace{},
		wake: map[string]chan struct{}{"": make(chan struct{}, 1)}, agents: map[string]*memberAgent{},
	}
	h.scoped.Store(true)
	for _, name := range h.set.Names() {
		h.wake[name] = make(chan struct{}, 1)
	}
	if err := h.install(ctx); err != nil {
		return nil, err
	}
	var running context.Context
	running, h.stop = context.WithCancel(context.WithoutCancel(ctx))
	h.changes = watchHub(running, h.set.Hub, &h.done, h.wakeHubAgent)
	h.start(running, "", h.reconcile)
	for _, name := range h.set.Names() {
		member, err := h.set.Member(name)
		if err != nil {
			return nil, err
		}
		h.agents[name] = &memberAgent{hub: h, name: name, member: member, done: map[types.UID]state{}}
	}
	for name, agent := range h.agents {
		h.start(running, name, agent.reconcile)
	}
	return h, nil
}

// Rediscover makes the agents discover the hub's kinds again, as KubeFleet's do every 30 seconds.
func (h *Hub) Rediscover() { h.set.Hub.ResetDiscovery() }

// Close stops the agents. Their objects remain.
func (h *Hub) Close() {
	h.stop()
	h.done.Wait()
}

// Pause stops the agent of a member, or with the empty name the hub's, as if its process had ended. Resume starts it again.
func (h *Hub) Pause(member string) { h.pause(member, true) }

// Resume starts an agent again.
func (h *Hub) Resume(member string) {
	h.pause(member, false)
	h.call(member)
}

// call makes an agent run immediately. The hub agent has the empty name.
func (h *Hub) call(name string) {
	if name == "" {
		h.changed.Store(true)
	}
	h.wakeUp(name)
}

// wakeHubAgent makes the hub agent process changes.
func (h *Hub) wakeHubAgent() { h.wakeUp("") }

func (h *Hub) wakeHubAgentAfter(wait time.Duration) { time.AfterFunc(wait, h.wakeHubAgent) }

func (h *Hub) wakeUp(name string) {
	select {
	case h.wake[name] <- struct{}{}:
	default: // the agent has already been woken
	}
}

func (h *Hub) callAll() {
	for name := range h.wake {
		h.call(name)
	}
}

func (h *Hub) pause(member string, is bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.paused[member] = is
}

func (h *Hub) isPaused(member string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.paused[member]
}

// LastError returns the agents' current errors, nil for none.
func (h *Hub) LastError() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	var errs []error
	for name, err := range h.lastErrors {
		if err != nil {
			errs = append(errs, fmt.Errorf("agent %q: %w", name, err))
		}
	}
	return errors.Join(errs...)
}

// start runs an agent repeatedly: after the pause that it returns, or when it is called.
func (h *Hub) start(ctx context.Context, name string, reconcile func(context.Context) (again time.Duration, err error)) {
	h.done.Go(func() {
		for ctx.Err() == nil {
			again, err := reconcile(ctx)
			if kube.IsConflict(err) || ctx.Err() != nil {
				err = nil // a conflict: the next round reads the object again
			}
			h.mu.Lock()
			h.lastErrors[name] = err
			h.mu.Unlock()
			if err != nil {
				again = interval
			}
			timer := time.NewTimer(again)
			select {
			case <-ctx.Done():
			case <-h.wake[name]:
			case <-timer.C:
			}
			timer.Stop()
		}
	})
}

// reconcile runs one round of the hub agent. again is 0 if the round has written something, so that the next round starts immediately.
func (h *Hub) reconcile(ctx context.Context) (again time.Duration, err error) {
	if h.isPaused("") {
		return rest, nil
	}
	if early := gap - time.Since(h.rested); early > 0 {
		time.Sleep(early)
	}
	defer func() { h.rested = time.Now() }()
	h.round.RLock()
	defer h.round.RUnlock()
	v, err := h.present(ctx)
	if err != nil {
		return 0, err
	}
	h.last = nil
	wrote, err := h.process(ctx, v)
	if err != nil || wrote {
		return 0, err
	}
	h.last = v
	if _, known := h.changes.ofFleet(); !known {
		return interval, nil
	}
	return idle, nil
}

// present returns everything on the hub. It reads the hub again if something may have changed since the last round.
func (h *Hub) present(ctx context.Context) (*view, error) {
	changed := h.changed.Swap(false)
	number, known := h.changes.ofFleet()
	thorough := time.Since(h.thorough) >= idle
	if last := h.last; last != nil && !changed && known && number == last.number && time.Since(last.at) < unseen {
		out := *last
		if out.again = !thorough; thorough {
			h.thorough = time.Now()
		}
		return &out, nil
	}
	h.thorough = time.Now()
	v, err := h.view(ctx)
	if err != nil {
		h.changed.Store(true)
	}
	return v, err
}

// process processes a view, and reports whether it wrote anything.
func (h *Hub) process(ctx context.Context, v *view) (bool, error) {
	wrote := false
	var mu sync.Mutex
	var group errgroup.Group
	group.SetLimit(8)
	do := func(work func() (bool, error)) {
		group.Go(func() error {
			changed, err := work()
			mu.Lock()
			defer mu.Unlock()
			wrote = wrote || changed
			return err
		})
	}
	for _, m := range v.members {
		do(func() (bool, error) { return h.member(ctx, v, m) })
	}
	do(func() (bool, error) { return h.snapshotOverrides(ctx, v) })
	for _, p := range v.placements {
		if !h.isResting(referenceTo(p)) {
			do(func() (bool, error) { return h.placement(ctx, v, p) })
		}
	}
	for _, b := range v.bindings {
		if b.DeletionTimestamp != nil && !h.isResting(ownerOf(b)) {
			do(func() (bool, error) { return h.unbind(ctx, v, b) })
		}
	}
	for _, a := range v.approvals {
		do(func() (bool, error) { return h.forgetRun(ctx, v, a) })
	}
	for _, e := range v.evictions {
		do(func() (bool, error) { return h.evict(ctx, v, e) })
	}
	if err := group.Wait(); err != nil {
		return wrote, err
	}
	for _, r := range v.runs { // not at the same time as their placements, whose stored state they change
		changed, err := h.run(ctx, v, r)
		if err != nil {
			return wrote, err
		}
		wrote = wrote || changed
	}
	return wrote, nil
}
