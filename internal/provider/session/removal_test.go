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

// The fate of another placement is known once the run has planned the placement, or has planned or started its removal.
func TestFate(t *testing.T) {
	t.Parallel()
	s := &Session{}
	s.MarkDestroyed("planned")
	s.ClaimName("configured", tftypes.NewValue(tftypes.String, ""), true)
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

// A wait lasts until an awaited removal starts or ends. It ends immediately if the removal had ended before.
func TestAwait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &Session{}
		host := s.StartRemoval("host")
		guest := s.StartRemoval("guest") // after the engine has checked the clusters
		if !host.Await(t.Context(), []string{"guest"}) {
			t.Error("the wait does not end although the other removal has started")
		}
		go func() {
			time.Sleep(time.Hour)
			guest.End(false)
		}()
		began := time.Now()
		if !host.Await(t.Context(), []string{"guest"}) || time.Since(began) != time.Hour {
			t.Errorf("the wait does not end with the other removal: %v", time.Since(began))
		}
		if host.Await(t.Context(), []string{"guest"}) {
			t.Error("waits for a removal that has ended")
		}
		if got := host.Unmet(); !slices.Equal(got, []string{"guest"}) {
			t.Errorf("unmet: %q", got)
		}
		host.End(true)
	})
}

// While another operation is in progress, and for [grace] after it, a removal waits for another removal to start.
func TestAwaitStart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &Session{}
		host := s.StartRemoval("host")
		began := time.Now()
		if host.Await(t.Context(), []string{"guest"}) || time.Since(began) != grace {
			t.Errorf("waited for %v while no operation was in progress", time.Since(began))
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

// A removal does not wait for placements that the run keeps.
func TestAwaitKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &Session{}
		s.ClaimName("guest", tftypes.NewValue(tftypes.String, ""), true)
		defer s.Work()()
		began := time.Now()
		if s.StartRemoval("host").Await(t.Context(), []string{"guest"}) || time.Since(began) != 0 {
			t.Errorf("waited for %v", time.Since(began))
		}
	})
}

// Waiting removals that use all of the run's parallelism end their waits one after the other, so that others can start. Two that wait for each other end.
func TestAwaitEachOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &Session{}
		ended := make(chan time.Duration)
		began := time.Now()
		for name, other := range map[string]string{"a": "b", "b": "a"} {
			r := s.StartRemoval(name)
			go func() {
				for r.Await(t.Context(), []string{other}) { // the engine checks the clusters in vain
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

// If a deletion depends on placements that are planned later, the plan of the last of them shows the deletion.
func TestFreed(t *testing.T) {
	t.Parallel()
	s := &Session{}
	s.MarkDestroyed("host")
	namespace := manifest.Identifier{Version: "v1", Kind: "Namespace", Name: "shared"}
	preview := &engine.Preview{Clusters: []engine.ClusterPreview{{Name: "member-1", Objects: []engine.ObjectPreview{{
		Identifier: namespace, Action: takeover.ActionDefer, Obstacle: takeover.ObstacleOccupied, Contents: &engine.Contents{Open: []string{"one", "two"}},
	}}}}}
	if !s.Removal("host", nil).Show(t.Context(), preview) {
		t.Error("the plan is to be made again, although no fate is known")
	}
	s.MarkDestroyed("one")
	if got := s.Removal("one", nil).Freed(); len(got) > 0 {
		t.Errorf("freed before the second placement is planned: %+v", got)
	}
	s.MarkDestroyed("two")
	if got := s.Removal("two", nil).Freed(); len(got) != 1 || got[0].Identifier != namespace || got[0].Cluster != "member-1" || got[0].Placement != "host" {
		t.Errorf("got %+v", got)
	}
	if s.Removal("host", nil).Show(t.Context(), preview) {
		t.Error("the plan is not made again, although the fates of both placements are known")
	}
}
