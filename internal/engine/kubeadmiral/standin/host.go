package standin

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest/standin"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/dispatch"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Manager is the field manager of the control plane.
const Manager = dispatch.FieldManager

const (
	// look is how often the control plane looks for something to do.
	look = 300 * time.Millisecond
	// Without a change, a round follows after again if something failed in the last one, otherwise after rest.
	again = time.Second
	rest  = 3 * time.Second
	// serves is how long a member is taken to serve what it served.
	serves = 2 * time.Second
)

// Host is the control plane of a host.
type Host struct {
	set  *clusterset.Set
	stop context.CancelFunc
	done sync.WaitGroup

	lists *lists
	// round is held during a round for all namespaces. rests are the calls of Rest by namespace.
	round sync.Mutex
	rests standin.Turns

	mu sync.Mutex
	// read are the FederatedObjects of the last round for all namespaces, by UID, decoded the other objects of KubeAdmiral.
	read    map[string]*federated
	decoded decodings
	// failed reports whether something could not be written to a member in the present round.
	failed  bool
	paused  map[string]bool
	trouble error
	// measured is when a member was last asked what it serves.
	measured map[string]time.Time
	// versions are what was written to members last, by FederatedObject and member.
	versions map[string]version
}

// Start installs the definitions on the host and begins to answer.
func Start(ctx context.Context, host *kube.Cluster, members map[string]*kube.Cluster) (*Host, error) {
	h := &Host{set: clusterset.New(host, members, 0), paused: map[string]bool{}, measured: map[string]time.Time{}, versions: map[string]version{}}
	if err := h.install(ctx); err != nil {
		return nil, err
	}
	var running context.Context
	running, h.stop = context.WithCancel(context.WithoutCancel(ctx))
	h.lists = newLists(running, &h.done)
	h.done.Go(func() { h.run(running) })
	return h, nil
}

// Close ends the control plane. What it has made stays.
func (h *Host) Close() {
	h.stop()
	h.done.Wait()
}

// Pause makes a member one that is not ready, Resume one that is again.
func (h *Host) Pause(member string) { h.pause(member, true) }

// Resume makes a member ready again.
func (h *Host) Resume(member string) { h.pause(member, false) }

// PauseNamespace stops all work of the control plane in a namespace of the host. ResumeNamespace starts it again.
func (h *Host) PauseNamespace(name string) {
	h.round.Lock() // after the round in progress
	defer h.round.Unlock()
	h.pause(inNamespace(name), true)
}

// ResumeNamespace is the reverse of PauseNamespace.
func (h *Host) ResumeNamespace(name string) { h.pause(inNamespace(name), false) }

// inNamespace is the key of a namespace among the paused members.
func inNamespace(name string) string { return "namespace/" + name }

func (h *Host) pause(member string, is bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.paused[member] = is
	h.lists.changed()
}

func (h *Host) isPaused(member string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.paused[member]
}

// Trouble is what the control plane failed at last; nil if nothing.
func (h *Host) Trouble() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.trouble
}

func (h *Host) run(ctx context.Context) {
	for ctx.Err() == nil {
		before := h.begin()
		err := h.reconcile(ctx)
		if kube.IsConflict(err) {
			err, before = nil, -1 // start the next round at once
		}
		if ctx.Err() != nil {
			err = nil
		}
		h.mu.Lock()
		h.trouble = err
		h.mu.Unlock()
		h.idle(ctx, before)
	}
}

// begin begins a round, and returns the number of changes before it.
func (h *Host) begin() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failed = false
	return h.lists.count()
}

// idle waits until there may be something to do again after a round, before which there had been so many changes.
func (h *Host) idle(ctx context.Context, before int) {
	for ended := time.Now(); ctx.Err() == nil; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(look):
		}
		if h.due(before, time.Since(ended)) {
			return
		}
	}
}

func (h *Host) due(before int, since time.Duration) bool {
	if h.lists.count() != before {
		return true
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return since >= rest || since >= again && (h.failed || h.trouble != nil)
}

// reconcile does once what there is to do.
func (h *Host) reconcile(ctx context.Context) error {
	h.round.Lock()
	defer h.round.Unlock()
	v, err := h.view(ctx, h.cached)
	if err != nil {
		return err
	}
	h.mu.Lock()
	h.read, h.decoded = v.read, v.decoded
	h.mu.Unlock()
	return h.act(ctx, v, v.members, h.isResting)
}

// act does once what there is to do about members, and about the objects in a view, except those in namespaces to leave out.
func (h *Host) act(ctx context.Context, v *view, members []v1alpha1.FederatedCluster, leaveOut func(namespace string) bool) error {
	var errs []error
	var mu sync.Mutex
	var group errgroup.Group
	group.SetLimit(4)
	do := func(work func() error) {
		group.Go(func() error {
			err := work()
			if err == nil {
				return nil
			}
			mu.Lock()
			defer mu.Unlock()
			if kube.IsConflict(err) || kube.IsNotFound(err) || kube.IsAlreadyExists(err) {
				h.lists.changed() // which the next round is to see
			} else {
				errs = append(errs, err)
			}
			return nil
		})
	}
	for _, m := range members {
		do(func() error { return h.member(ctx, m) })
	}
	for _, s := range v.sources {
		if !leaveOut(s.live.GetNamespace()) {
			do(func() error { return h.federate(ctx, s) })
		}
	}
	for _, f := range v.federated {
		if !leaveOut(f.Namespace) {
			do(func() error { return h.place(ctx, v, f) })
		}
	}
	_ = group.Wait()
	return errors.Join(errs...)
}
