package hubs

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// faults are faults of a request to a hub.
var faults = []clusters.Fault{
	{LoseResponse: true}, {Status: http.StatusTooManyRequests}, {Refuse: true}, {Status: http.StatusInternalServerError}, {Status: http.StatusServiceUnavailable},
}

// strike injects a fault into the k-th matching request to the hub. It returns a function that reports whether there was such a request.
func (h *hub) strike(fault clusters.Fault, k int64, match func(clusters.Request) bool) (struck func() bool) {
	var seen atomic.Int64
	fault.Context, fault.Match = env.Hub, func(r clusters.Request) bool { return match(r) && seen.Add(1) == k }
	remove := h.Inject(fault)
	return func() bool {
		remove()
		return seen.Load() >= k
	}
}

// apply applies as Terraform does. If the last apply returned a result, the placement is in the state, and apply updates it. Otherwise apply creates it.
func apply(ctx context.Context, e *kubefleet.Engine, p engine.Placement) (engine.Placement, error) {
	result, err := e.ApplyPlacement(ctx, p, engine.ApplyOptions{Create: p.Prior == nil, WaitUntilAvailable: true})
	if result != nil {
		p.Prior = &result.Status
	}
	return p, err
}

// After a fault in the first write or in a read of an apply, the next apply has the same result as an undisturbed one, and the one after that writes nothing. A
// fault in the write is no error of the apply, because the engine repeats the write.
func TestStruckRequests(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	h := newHub(t)
	h.join(h.engine())
	for i, fault := range faults {
		t.Run("write "+fault.String(), func(t *testing.T) {
			t.Parallel()
			if err := newHub(t).struck(fmt.Sprintf("struck-write-%d", i), fault, 1, clusters.Writes); err != nil {
				t.Error(err)
			}
		})
		t.Run("read "+fault.String(), func(t *testing.T) {
			t.Parallel()
			read := func(r clusters.Request) bool { return r.Method == http.MethodGet }
			_ = newHub(t).struck(fmt.Sprintf("struck-read-%d", i), fault, int64(2*(i+1)), read)
		})
	}
}

// struck applies a placement while the k-th matching request has a fault, and returns its error. The next apply must succeed.
func (h *hub) struck(name string, fault clusters.Fault, k int64, match func(clusters.Request) bool) error {
	h.Helper()
	h.put(content(name))
	p := placing(name)
	h.deleteAtEnd(p)
	struck := h.strike(fault, k, match)
	applied, err := apply(h.Context(), h.engine(), p)
	if !struck() {
		h.Errorf("there is no such request: %d", k)
	}
	if err != nil {
		var again error
		if applied, again = apply(h.Context(), h.engine(), applied); again != nil {
			h.Fatalf("%v; after %v", again, err)
		}
	}
	h.settled(applied)
	return err
}

// settled fails the test unless a placement is available, reads as it was written, and is not written again.
func (h *hub) settled(p engine.Placement) {
	h.Helper()
	e := h.engine()
	recorded, err := e.ReadPlacement(h.Context(), p)
	if err != nil {
		h.Fatal(err)
	}
	if diff := cmp.Diff(p.Spec, recorded.Spec); diff != "" || !recorded.Status.Is(placement.Available) {
		h.Errorf("%s: %+v%s", p.Name, recorded.Status, diff)
	}
	h.Reset()
	if _, err := e.ApplyPlacement(h.Context(), p, engine.ApplyOptions{WaitUntilAvailable: true}); err != nil {
		h.Error(err)
	}
	h.idle("a second apply writes")
}

// If the response to the creation of a member or an override is lost, the engine recognizes the object as its own.
func TestLostAnswers(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	h := newHub(t)
	h.leave()
	h.put(content("lost"))
	e := h.engine()
	struck := h.strike(clusters.Fault{LoseResponse: true}, 2, clusters.Writes) // the first write is the ServiceAccount
	h.join(e)
	if !struck() {
		t.Error("nothing was lost")
	}
	o := greeting("lost")
	struck = h.strike(clusters.Fault{LoseResponse: true}, 1, clusters.Writes)
	if _, err := e.ApplyOverride(t.Context(), o, nil); err != nil || !struck() {
		t.Error(err)
	}
	if err := e.DeleteOverride(t.Context(), o); err != nil {
		t.Error(err)
	}
}

// An apply changes a placement even if the hub writes the placement between the read and the write of the apply.
func TestLostRace(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	h.join(h.engine())
	h.put(content("race"))
	p := h.place(h.engine(), placing("race"))
	raced := make(chan error, 1)
	h.Inject(clusters.Fault{Context: env.Hub, Times: 1, Match: clusters.Writes, Hook: func(r clusters.Request) {
		ref := fixture.ParseRef("placement.kubernetes-fleet.io/v1beta1 ClusterResourcePlacement race")
		raced <- h.client.Merge(context.Background(), ref, []byte(`{"metadata":{"labels":{"hub":"agent"}}}`), "", false)
	}})
	p.Spec.RevisionHistoryLimit = new(int32(5))
	h.settled(h.place(h.engine(), p))
	if err := <-raced; err != nil {
		t.Error(err)
	}
}

// If a hub restarts when an apply sends its first write, nothing is lost, and no manual repair is necessary.
func TestRestart(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	h := newHub(t)
	e := h.engine()
	h.join(e)
	const name = "restarted"
	h.put(content(name))
	p := placing(name)
	h.deleteAtEnd(p)

	restarted := make(chan error, 1)
	var once atomic.Bool
	h.Inject(clusters.Fault{Context: env.Hub, Times: 1, Match: clusters.Writes, Hook: func(clusters.Request) {
		if !once.CompareAndSwap(false, true) {
			return
		}
		err := env.StopMember(context.Background(), env.Hub)
		go func() {
			if err == nil {
				err = env.StartMember(context.Background(), env.Hub)
			}
			restarted <- err
		}()
	}})
	applied, err := apply(t.Context(), e, p)
	if err := <-restarted; err != nil {
		t.Fatal(err)
	}
	if err != nil { // the machine is slow, and the apply has timed out
		t.Log(err)
		again, err := apply(t.Context(), h.engine(), applied)
		if err != nil {
			t.Fatal(err)
		}
		applied = again
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(200 * time.Millisecond) {
		recorded, err := h.engine().ReadPlacement(t.Context(), applied)
		if err == nil && recorded.Status.Is(placement.Available) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%+v, %v, %v", recorded, err, h.agents.LastError())
		}
	}
	h.settled(applied)
}
