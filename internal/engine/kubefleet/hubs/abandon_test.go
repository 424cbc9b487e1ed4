package hubs

import (
	"context"
	"encoding/json"
	"net/http"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// abandoning returns a hub with a placement whose propagation policy is Abandon.
func abandoning(t *testing.T, name string) (*hub, engine.Placement) {
	t.Helper()
	h := newHub(t)
	h.join(h.engine())
	h.put(content(name))
	p := placing(name)
	p.Spec.Strategy = &placement.Strategy{DeleteStrategy: &placement.DeleteStrategy{PropagationPolicy: placement.AbandonObjects}}
	p = h.place(h.engine(), p)
	return h, p
}

// pause stops the member's agent until the test ends.
func (h *hub) pause() {
	h.agents.Pause(memberName)
	h.Cleanup(func() { h.agents.Resume(memberName) })
}

// Objects to be abandoned remain even if the agent processes the removal only after the removal has timed out. The next removal removes the temporary owners.
func TestAbandonThatTimedOut(t *testing.T) {
	h, p := abandoning(t, "abandoned")
	owners := func() []metav1.OwnerReference { return h.owners("abandoned") }
	h.pause()
	if result, err := h.deleteInVain(p); err == nil || result == nil || !result.TimedOut {
		t.Fatalf("%+v, %v", result, err)
	}
	if n := len(owners()); n != 4 {
		t.Errorf("%d owners of two objects that an agent holds and that are kept", n)
	}
	p.Prior.Removing = true
	preview, err := h.engine().PreviewDelete(t.Context(), p, engine.DeleteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range preview.Clusters {
		for _, o := range c.Objects {
			if o.Action != takeover.ActionOrphan {
				t.Errorf("%s: %s", o.Identifier, o.Action)
			}
		}
	}
	h.Reset()
	done := make(chan error)
	go func() {
		_, err := h.engine().DeletePlacement(t.Context(), p, engine.DeleteOptions{})
		done <- err
	}()
	for !h.waits() {
		select {
		case err := <-done:
			t.Fatalf("it has ended: %v", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	h.agents.Resume(memberName)
	if err := <-done; err != nil {
		t.Error(err, h.agents.LastError())
	}
	if left := owners(); len(left) > 0 {
		t.Errorf("the owners %v are left", left)
	}
}

// waits reports whether a removal waits for the agents. A removal reads the Works once before it waits, and then repeatedly.
func (h *hub) waits() bool {
	reads := slices.DeleteFunc(h.asked(), func(r clusters.Request) bool { return path.Base(r.Path) != "works" })
	return len(reads) > 4
}

// deleteInVain removes a placement while its agent is paused, and times out waiting for the agent.
func (h *hub) deleteInVain(p engine.Placement) (*engine.Result, error) {
	h.Helper()
	ctx, expire := enginetest.Expiring(h.Context())
	defer expire()
	h.Reset()
	go func() {
		for ctx.Err() == nil && !h.waits() {
			time.Sleep(10 * time.Millisecond)
		}
		expire()
	}()
	return h.engine().DeletePlacement(ctx, p, engine.DeleteOptions{})
}

// TestAbandonThatIsRefused checks a removal that the hub denies: the placement remains, and no object keeps its temporary owner, because agents do not apply
// objects with one.
func TestAbandonThatIsRefused(t *testing.T) {
	h, p := abandoning(t, "refused")
	allow := h.Inject(clusters.Fault{Context: env.Hub, Status: http.StatusForbidden, Match: func(r clusters.Request) bool {
		return r.Method == http.MethodDelete && path.Base(r.Path) == "refused"
	}})
	if result, err := h.engine().DeletePlacement(t.Context(), p, engine.DeleteOptions{}); err == nil || result != nil {
		t.Errorf("%+v, %v, of a placement that stays", result, err)
	}
	if n := len(h.owners("refused")); n != 2 {
		t.Errorf("two objects that the placement has still have %d owners", n)
	}
	allow()
	if _, err := h.engine().DeletePlacement(t.Context(), p, engine.DeleteOptions{}); err != nil {
		t.Error(err)
	}
	if left := h.owners("refused"); len(left) > 0 {
		t.Errorf("the owners %v are left", left)
	}
}

// TestAbandonThatTheHubHolds checks that a removal that the hub does not complete in time returns an error with the objects that remain on the members,
// because the agents may process it later.
func TestAbandonThatTheHubHolds(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	h, p := abandoning(t, "kept")
	h.pause()
	release := h.hold("kept")
	limited, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	_, err := h.engine().DeletePlacement(limited, p, engine.DeleteOptions{})
	if err == nil || !strings.Contains(err.Error(), "2 object(s) remain with an owner reference to their Namespace") {
		t.Errorf("%v", err)
	}
	release()
	h.agents.Resume(memberName)
	if _, err := h.engine().DeletePlacement(t.Context(), p, engine.DeleteOptions{}); err != nil {
		t.Error(err)
	}
}

// hold blocks the deletion of a placement until it is released. The hub's own finalizers remain, because without them the hub would not clean up the placed
// objects.
func (h *hub) hold(name string) (release func()) {
	h.Helper()
	const finalizer = "example.com/hold"
	ref := fixture.Ref{APIVersion: "placement.kubernetes-fleet.io/v1beta1", Kind: "ClusterResourcePlacement", Name: name}
	change := func(to func([]string) []string) {
		h.Helper()
		for {
			live, err := h.client.Find(h.Context(), ref)
			if err != nil || live == nil {
				h.Fatalf("%s is %v, %v", ref, live, err)
			}
			patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
				"resourceVersion": live.GetResourceVersion(), "finalizers": to(live.GetFinalizers()),
			}})
			if err == nil {
				err = h.client.Merge(h.Context(), ref, patch, "", false)
			}
			if err == nil {
				return
			}
			if !apierrors.IsConflict(err) {
				h.Fatal(err)
			}
		}
	}
	change(func(has []string) []string { return append(has, finalizer) })
	return func() {
		h.Helper()
		change(func(has []string) []string {
			return slices.DeleteFunc(has, func(other string) bool { return other == finalizer })
		})
	}
}

// owners returns the owners of the objects of a placement on the member.
func (h *hub) owners(name string) (out []metav1.OwnerReference) {
	h.Helper()
	member, err := env.Client(memberName)
	if err != nil {
		h.Fatal(err)
	}
	for _, ref := range []fixture.Ref{
		{APIVersion: "v1", Kind: "Namespace", Name: name}, {APIVersion: "v1", Kind: "ConfigMap", Namespace: name, Name: "settings"},
	} {
		live, err := member.Find(h.Context(), ref)
		if err != nil || live == nil || live.GetDeletionTimestamp() != nil {
			h.Fatalf("%s is %v, %v", ref, live, err)
		}
		out = append(out, live.GetOwnerReferences()...)
	}
	return out
}
