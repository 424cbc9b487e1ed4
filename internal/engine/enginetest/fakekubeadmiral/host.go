package fakekubeadmiral

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest/fakehub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/dispatch"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Manager is the control plane's field manager.
const Manager = dispatch.FieldManager

const (
	// interval is how often the control plane checks for changes.
	interval = 300 * time.Millisecond
	// again and rest are the pauses before the next round if nothing has changed: again if a part of the last round failed, rest otherwise.
	again = time.Second
	rest  = 3 * time.Second
	// serves is how long a member's list of served kinds is reused.
	serves = 2 * time.Second
)

// Host is the control plane on a host cluster.
type Host struct {
	set  *clusterset.Set
	stop context.CancelFunc
	done sync.WaitGroup

	lists *lists
	// round is locked during a round for all namespaces. rests are the calls of Rest by namespace.
	round sync.Mutex
	rests fakehub.Turns

	mu sync.Mutex
	// read are the FederatedObjects of the last round for all namespaces, by UID. decoded are the other KubeAdmiral objects of that round.
	read    map[string]*federated
	decoded decodings
	// failed: in the current round, an object could not be written to a member.
	failed    bool
	paused    map[string]bool
	lastError error
	// measured is the time at which each member's served kinds were last read.
	measured map[string]time.Time
	// versions are the last writes to members, by FederatedObject and member.
	versions map[string]version
}

// Start installs the CRDs on the host and starts the control plane.
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

// Close stops the control plane. Its objects remain.
func (h *Host) Close() {
	h.stop()
	h.done.Wait()
}

// Pause makes a member not ready until Resume is called.
func (h *Host) Pause(member string) { h.pause(member, true) }

// Resume makes a member ready again.
func (h *Host) Resume(member string) { h.pause(member, false) }

// PauseNamespace stops all work of the control plane in a namespace of the host. ResumeNamespace starts it again.
func (h *Host) PauseNamespace(name string) {
	h.round.Lock() // after the round in progress
	defer h.round.Unlock()
	h.pause(inNamespace(name), true)
}

// ResumeNamespace starts the work that PauseNamespace stopped.
func (h *Host) ResumeNamespace(name string) { h.pause(inNamespace(name), false) }

// inNamespace returns the key of a namespace among the paused members.
func inNamespace(name string) string { return "namespace/" + name }

// PauseFeedback stops the control plane from copying the scheduler's annotation to the placed objects in a namespace of the host, until ResumeFeedback is
// called.
func (h *Host) PauseFeedback(namespace string) { h.pause(feedbackIn(namespace), true) }

// ResumeFeedback starts the writes that PauseFeedback stopped.
func (h *Host) ResumeFeedback(namespace string) { h.pause(feedbackIn(namespace), false) }

// feedbackIn returns the key of the feedback in a namespace among the paused members.
func feedbackIn(namespace string) string { return "feedback/" + namespace }

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

// LastError returns the error of the last round for all namespaces, nil for none.
func (h *Host) LastError() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.lastError
}

func (h *Host) run(ctx context.Context) {
	for ctx.Err() == nil {
		before := h.begin()
		err := h.reconcile(ctx)
		if kube.IsConflict(err) {
			err, before = nil, -1 // start the next round immediately
		}
		if ctx.Err() != nil {
			err = nil
		}
		h.mu.Lock()
		h.lastError = err
		h.mu.Unlock()
		h.idle(ctx, before)
	}
}

// begin begins a round and returns the number of changes before it.
func (h *Host) begin() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failed = false
	return h.lists.count()
}

// idle waits after a round until the next one is due. before is the number of changes before that round.
func (h *Host) idle(ctx context.Context, before int) {
	for ended := time.Now(); ctx.Err() == nil; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(interval):
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
	return since >= rest || since >= again && (h.failed || h.lastError != nil)
}

// reconcile runs one round for all namespaces.
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

// act reconciles members, and the objects in a view, once. It skips the namespaces for which leaveOut returns true.
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
				h.lists.changed() // so that the next round starts immediately
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
