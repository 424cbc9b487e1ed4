package session

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// The fate of another placement is known once the run has planned or started it.
func TestFate(t *testing.T) {
	t.Parallel()
	s := &Session{}
	s.Goes("planned")
	s.Alone("configured", tftypes.NewValue(tftypes.String, ""), true)
	s.StartRemoval("removing")
	s.StartRemoval("removed").End(false)
	s.StartRemoval("failed").End(true)
	r := s.Removal("r", []string{"awaited", "planned"})
	for name, want := range map[string]engine.Fate{
		"planned": engine.FatePlanned, "configured": engine.FateKept, "removing": engine.FateRemoving, "removed": engine.FateRemoving,
		"failed": engine.FateUnknown, "awaited": engine.FateKept, "other": engine.FateUnknown,
	} {
		if got := r.Fate(name); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
	r = s.Replacement("r")
	for name, want := range map[string]engine.Fate{"planned": engine.FatePlanned, "other": engine.FateKept} {
		if got := r.Fate(name); got != want {
			t.Errorf("%s: %d for a replacement, want %d", name, got, want)
		}
	}
}

// A wait ends with every change of the removals that it waits for, and lasts while they are in progress.
func TestAwait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &Session{}
		host := s.StartRemoval("host")
		guest := s.StartRemoval("guest") // after the engine has checked the clusters
		if !host.Await(t.Context(), []string{"guest"}) {
			t.Error("the other removal has started")
		}
		go func() {
			time.Sleep(time.Hour)
			guest.End(false)
		}()
		began := time.Now()
		if !host.Await(t.Context(), []string{"guest"}) || time.Since(began) != time.Hour {
			t.Errorf("the other removal has ended after %v", time.Since(began))
		}
		if host.Await(t.Context(), []string{"guest"}) {
			t.Error("nothing changes about a removal that has ended")
		}
		if got := host.Unmet(); !slices.Equal(got, []string{"guest"}) {
			t.Errorf("unmet: %q", got)
		}
		host.End(true)
	})
}

// A removal that has not started is waited for while something else is in progress, and a moment longer.
func TestAwaitStart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &Session{}
		host := s.StartRemoval("host")
		began := time.Now()
		if host.Await(t.Context(), []string{"guest"}) || time.Since(began) != grace {
			t.Errorf("nothing is in progress: %v", time.Since(began))
		}
		end := s.Work()
		go func() {
			time.Sleep(time.Minute)
			end()
			time.Sleep(grace / 2)
			s.StartRemoval("guest").End(false)
		}()
		began = time.Now()
		if !host.Await(t.Context(), []string{"guest"}) || time.Since(began) != time.Minute+grace/2 {
			t.Errorf("the other removal starts after another operation: %v", time.Since(began))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		defer s.Work()()
		if host.Await(ctx, []string{"late"}) || ctx.Err() == nil {
			t.Error("the context has not ended the wait")
		}
		host.End(true)
	})
}

// Placements that the run keeps are not waited for.
func TestAwaitKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &Session{}
		s.Alone("guest", tftypes.NewValue(tftypes.String, ""), true)
		defer s.Work()()
		began := time.Now()
		if s.StartRemoval("host").Await(t.Context(), []string{"guest"}) || time.Since(began) != 0 {
			t.Errorf("waited for %v", time.Since(began))
		}
	})
}

// Removals that take all places of the run end their waits one after the other, so that others start in their places. Two that wait for each other end.
func TestAwaitEachOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &Session{}
		ended := make(chan time.Duration)
		began := time.Now()
		for name, other := range map[string]string{"a": "b", "b": "a"} {
			r := s.StartRemoval(name)
			go func() {
				for r.Await(t.Context(), []string{other}) { // the engine finds nothing new
				}
				ended <- time.Since(began)
				r.End(true)
			}()
		}
		if first, second := <-ended, <-ended; first != grace || second < first {
			t.Errorf("the waits ended after %v and %v", first, second)
		}
	})
}

// A deletion that depends on a placement which is planned later is shown by the plan of that placement, once everything that it depends on is planned.
func TestFreed(t *testing.T) {
	t.Parallel()
	s := &Session{}
	s.Goes("host")
	namespace := manifest.Identifier{Version: "v1", Kind: "Namespace", Name: "shared"}
	preview := &engine.Preview{Clusters: []engine.ClusterPreview{{Name: "member-1", Objects: []engine.ObjectPreview{{
		Identifier: namespace, Action: takeover.ActionDefer, Obstacle: takeover.ObstacleOccupied, Contents: &engine.Contents{Open: []string{"one", "two"}},
	}}}}}
	if !s.Removal("host", nil).Show(t.Context(), preview) {
		t.Error("nothing of it is planned")
	}
	s.Goes("one")
	if got := s.Removal("one", nil).Freed(); len(got) > 0 {
		t.Errorf("the second is not planned: %+v", got)
	}
	s.Goes("two")
	if got := s.Removal("two", nil).Freed(); len(got) != 1 || got[0].Identifier != namespace || got[0].Cluster != "member-1" || got[0].Placement != "host" {
		t.Errorf("got %+v", got)
	}
	if s.Removal("host", nil).Show(t.Context(), preview) {
		t.Error("a plan that takes the two for unknown is to be made again")
	}
}
