package fakekubefleet

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
)

// pace defines how the agents process one placement.
type pace struct {
	held bool
	// released is when it was last released from a hold.
	released time.Time
	// uncollected: the hub agent ignores changes of selected objects.
	uncollected bool
	// abandoned: the objects remain on the members when the placement is deleted.
	abandoned bool
	// applying is the number of Works that are being applied.
	applying int
	// asked is when the agents were last requested to apply everything again.
	asked time.Time
	// quiet is when the hub agent read the objects for its last round that had nothing to write.
	quiet time.Time
}

// paceOf returns the pace of a placement. The caller holds h.mu.
func (h *Hub) paceOf(placement engine.Reference) *pace {
	if h.pace[placement] == nil {
		h.pace[placement] = &pace{}
	}
	return h.pace[placement]
}

// PausePlacement stops the members' agents from applying a placement, NAME or NAMESPACE/NAME, until release is called. Without a pause, they apply it
// repeatedly.
func (h *Hub) PausePlacement(placement string) (release func()) {
	of := engine.ParseReference(placement)
	held := func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		p := h.paceOf(of)
		p.held = true
		return p.applying == 0
	}
	for !held() {
		time.Sleep(interval / 40)
	}
	return func() {
		h.mu.Lock()
		h.paceOf(of).held, h.paceOf(of).released = false, time.Now()
		h.mu.Unlock()
		h.callAll()
	}
}

// Abandon keeps the objects of a placement on the members when the placement is deleted. Clusters that end with the tests need no cleanup, and emptying a
// Namespace takes a request for every kind.
func (h *Hub) Abandon(placement string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.paceOf(engine.ParseReference(placement)).abandoned = true
}

func (h *Hub) isAbandoned(placement engine.Reference) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.paceOf(placement).abandoned
}

// begin reports whether a Work of a placement may be applied now. If so, end must be called.
func (h *Hub) begin(placement engine.Reference) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	p := h.paceOf(placement)
	if !p.held {
		p.applying++
	}
	return !p.held
}

func (h *Hub) end(placement engine.Reference) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.paceOf(placement).applying--
}

// asked returns when the agents were last requested to apply everything of a placement.
func (h *Hub) asked(placement engine.Reference) time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.paceOf(placement).asked
}

// released returns when a placement was last released from a hold.
func (h *Hub) released(placement engine.Reference) time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.paceOf(placement).released
}

// quiet records that a round had nothing to write for a placement. The hub agent had read the objects at this time.
func (h *Hub) quiet(placement engine.Reference, at time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.paceOf(placement).quiet = at
}

// Settle makes the members' agents apply everything of a placement again, and waits until its status reports the result.
func (h *Hub) Settle(ctx context.Context, placement string) error {
	of := engine.ParseReference(placement)
	h.mu.Lock()
	asked := time.Now()
	h.paceOf(of).asked = asked
	h.mu.Unlock()
	h.callAll()
	for {
		works, err := hub.List[wire.Work](ctx, h.set.Hub, hub.Work, "", hub.WorksOf(of))
		if err == nil && h.isSettled(of, works, asked) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the placement %q does not settle: %w", placement, ctx.Err())
		case <-time.After(interval / 4):
		}
	}
}

// isSettled reports whether all Works were applied since a time, and the status was written after that.
func (h *Hub) isSettled(placement engine.Reference, works []wire.Work, since time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	last := since
	for _, w := range works {
		r, found := h.reports[types.NamespacedName{Namespace: w.Namespace, Name: w.Name}]
		if !found || r.uid != w.UID || r.generation != w.Generation || r.began.Before(since) {
			return false
		}
		if r.finished.After(last) {
			last = r.finished
		}
	}
	return h.paceOf(placement).quiet.After(last)
}
