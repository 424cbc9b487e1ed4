package fakekubefleet

import (
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// mostRounds bounds the rounds of Rest.
const mostRounds = 100

// Rest makes the hub agent and the members' agents process one placement until nothing changes, as they could between any two writes of a client. It reads from
// the API server instead of caches, and each agent that is not paused applies every Work of the placement at least once. Meanwhile, the rounds for all
// placements continue and skip this placement.
func (h *Hub) Rest(ctx context.Context, placement string) error {
	of := engine.ParseReference(placement)
	defer h.beginRest(of)()
	ctx = kube.ReadUnshared(ctx)
	applied := map[string]bool{} // by Work and generation
	for range mostRounds {
		v, err := h.view(ctx)
		if err != nil {
			return err
		}
		v.keepOnly(of)
		did, err := h.applyOnce(ctx, v, applied) // as soon as a Work has changed
		if err == nil && !did {
			did, err = h.actOn(ctx, v)
		}
		if err == nil && !did {
			return nil
		}
		if err != nil && !kube.IsConflict(err) {
			return err
		}
	}
	return fmt.Errorf("the agents do not come to rest with %s", placement)
}

// collects reports whether the hub agent observes changes of the selected objects of a placement.
func (h *Hub) collects(placement engine.Reference) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.paceOf(placement).uncollected
}

// Uncollected makes the hub agent ignore changes of selected objects until collect is called. A real hub agent can take up to 45 seconds to observe such a
// change.
func (h *Hub) Uncollected(placement string) (collect func()) {
	set := func(is bool) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.paceOf(engine.ParseReference(placement)).uncollected = is
	}
	set(true)
	return func() { set(false) }
}

// beginRest waits for the rounds in progress, and for other calls of Rest for the placement.
func (h *Hub) beginRest(placement engine.Reference) (end func()) {
	done := h.rests.Begin(placement.String())
	h.round.Lock()   // after the rounds in progress
	h.round.Unlock() //nolint:staticcheck // later rounds skip the placement
	return func() {
		done()
		h.callAll()
	}
}

// isResting reports whether the rounds for all placements skip one.
func (h *Hub) isResting(placement engine.Reference) bool { return h.rests.IsBusy(placement.String()) }

// keepOnly removes other placements from a view, with their bindings and Works.
func (v *view) keepOnly(placement engine.Reference) {
	v.placements = slices.DeleteFunc(v.placements, func(p wire.ClusterResourcePlacement) bool { return referenceTo(p) != placement })
	v.bindings = slices.DeleteFunc(v.bindings, func(b wire.ClusterResourceBinding) bool { return ownerOf(b) != placement })
	v.works = slices.DeleteFunc(v.works, func(w wire.Work) bool { return placementOf(w) != placement })
}

// actOn runs the hub agent once for the placements of a view, and for their bindings that are being deleted.
func (h *Hub) actOn(ctx context.Context, v *view) (wrote bool, err error) {
	for _, p := range v.placements {
		done, err := h.placement(ctx, v, p)
		if wrote = wrote || done; err != nil {
			return wrote, err
		}
	}
	for _, b := range v.bindings {
		if b.DeletionTimestamp == nil {
			continue
		}
		done, err := h.unbind(ctx, v, b)
		if wrote = wrote || done; err != nil {
			return wrote, err
		}
	}
	return wrote, nil
}

// applyOnce makes the agents apply the Works of a view that are not in applied yet, and withdraw those that are being deleted. It reports whether there were
// any. It skips paused agents.
func (h *Hub) applyOnce(ctx context.Context, v *view, applied map[string]bool) (did bool, err error) {
	var group errgroup.Group
	for name, a := range h.agents {
		if h.isPaused(name) {
			continue // it applies the Works in a later round if it resumes
		}
		var todo []wire.Work
		for _, w := range v.works {
			key := fmt.Sprint(w.UID, w.Generation, w.DeletionTimestamp != nil)
			if w.Namespace == namespaceOf(name) && (w.DeletionTimestamp != nil && slices.Contains(w.Finalizers, workFinalizer) || !applied[key]) {
				applied[key] = true
				todo = append(todo, w)
			}
		}
		if len(todo) == 0 {
			continue
		}
		did = true
		group.Go(func() error {
			for _, w := range todo {
				if w.DeletionTimestamp != nil {
					if err := a.withdraw(ctx, w); err != nil {
						return err
					}
					continue
				}
				if err := a.applyAgain(ctx, w); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return did, group.Wait()
}

// applyAgain applies a Work even if it is not due.
func (a *memberAgent) applyAgain(ctx context.Context, w wire.Work) error {
	works, err := a.works(ctx)
	if err != nil {
		return err
	}
	a.mu.Lock()
	s := a.done[w.UID]
	s.generation = -1
	a.done[w.UID] = s
	a.mu.Unlock()
	return a.apply(ctx, w, works)
}
