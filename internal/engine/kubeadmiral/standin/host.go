package standin

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/dispatch"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Manager is the field manager of the control plane.
const Manager = dispatch.FieldManager

// look is how often the control plane looks for something to do.
const look = 300 * time.Millisecond

// Host is the control plane of a host.
type Host struct {
	set  *clusterset.Set
	stop context.CancelFunc
	done sync.WaitGroup

	mu      sync.Mutex
	paused  map[string]bool
	trouble error
	// versions are what was written to members last, by FederatedObject and member.
	versions map[string]version
}

// Start installs the definitions on the host and begins to answer.
func Start(ctx context.Context, host *kube.Cluster, members map[string]*kube.Cluster) (*Host, error) {
	h := &Host{set: clusterset.New(host, members, 0), paused: map[string]bool{}, versions: map[string]version{}}
	if err := h.install(ctx); err != nil {
		return nil, err
	}
	var running context.Context
	running, h.stop = context.WithCancel(context.WithoutCancel(ctx))
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

func (h *Host) pause(member string, is bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.paused[member] = is
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
		err := h.reconcile(ctx)
		if kube.IsConflict(err) || ctx.Err() != nil {
			err = nil
		}
		h.mu.Lock()
		h.trouble = err
		h.mu.Unlock()
		select {
		case <-ctx.Done():
		case <-time.After(look):
		}
	}
}

// reconcile does once what there is to do.
func (h *Host) reconcile(ctx context.Context) error {
	v, err := h.view(ctx)
	if err != nil {
		return err
	}
	var errs []error
	var mu sync.Mutex
	var group errgroup.Group
	group.SetLimit(4)
	do := func(work func() error) {
		group.Go(func() error {
			if err := work(); err != nil && !kube.IsConflict(err) && !kube.IsNotFound(err) {
				mu.Lock()
				errs = append(errs, err)
				mu.Unlock()
			}
			return nil
		})
	}
	for _, m := range v.members {
		do(func() error { return h.member(ctx, m) })
	}
	for _, s := range v.sources {
		do(func() error { return h.federate(ctx, s) })
	}
	for _, f := range v.federated {
		do(func() error { return h.place(ctx, v, f) })
	}
	_ = group.Wait()
	return errors.Join(errs...)
}
