package session

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
)

var settings = manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: "shop", Name: "settings"}

func takes(from string) *engine.Preview {
	return &engine.Preview{Clusters: []engine.ClusterPreview{{Name: "member-1", Objects: []engine.ObjectPreview{
		{Identifier: settings, Action: takeover.ActionTakeOverFrom, Given: &engine.Given{From: from}},
	}}}}
}

// The last plan of a placement replaces earlier ones, and only data sources use what a data source has previewed.
func TestTakers(t *testing.T) {
	t.Parallel()
	var s Session
	bulk, other := []engine.Giver{{Name: "bulk"}}, []engine.Giver{{Name: "other"}}
	s.ReadTakeover("read", bulk, takes("bulk"))
	s.PlanTakeover("web", bulk, takes("bulk"))
	s.PlanTakeover("api", bulk, nil)
	names := func(takers engine.Takers) (out []string) {
		for _, taker := range takers {
			out = append(out, taker.Name)
		}
		return out
	}
	if got := names(s.Takers("bulk")); !slices.Equal(got, []string{"api", "web"}) {
		t.Errorf("%v", got)
	}
	if got := names(s.ReadTakers("bulk")); !slices.Equal(got, []string{"api", "read", "web"}) {
		t.Errorf("%v", got)
	}
	s.PlanTakeover("api", other, nil)
	s.PlanTakeover("web", nil, takes("bulk"))
	if got := names(s.Takers("bulk")); len(got) > 0 {
		t.Errorf("%v", got)
	}
	if got := names(s.Takers("other")); !slices.Equal(got, []string{"api"}) {
		t.Errorf("%v", got)
	}
}

// The objects that a placement hands over remain, so the removal of the placement does not allow the deletion of their Namespace.
func TestFateOfHandOver(t *testing.T) {
	t.Parallel()
	var s Session
	s.MarkDestroyed("bulk")
	s.MarkDestroyed("old")
	s.PlanTakeover("web", []engine.Giver{{Name: "bulk"}}, takes("bulk"))
	r := s.Removal("namespaces", nil)
	for name, want := range map[string]engine.Fate{"bulk": engine.FateKept, "old": engine.FatePlanned} {
		if got := r.Fate(name); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
}

// Of two placements that share a giver, one waits until the other one has ended, whatever the order in which they name their turns.
func TestTakeTurns(t *testing.T) {
	t.Parallel()
	var s Session
	end, err := s.TakeTurns(t.Context(), "web", "bulk", "bulk")
	if err != nil {
		t.Fatal(err)
	}
	if other, err := s.TakeTurns(t.Context(), "api", "other"); err != nil {
		t.Fatal(err)
	} else {
		other()
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := s.TakeTurns(ctx, "api", "bulk"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	waited := make(chan error)
	go func() {
		end, err := s.TakeTurns(t.Context(), "bulk", "api")
		if err == nil {
			end()
		}
		waited <- err
	}()
	end()
	if err := <-waited; err != nil {
		t.Error(err)
	}
}

func TestIsPlanned(t *testing.T) {
	t.Parallel()
	var s Session
	s.MarkDestroyed("gone")
	if s.IsPlanned("web") || !s.IsPlanned("gone") {
		t.Error("a destroyed placement is not planned")
	}
	s.PlanObjects("web", &engine.Preview{Clusters: []engine.ClusterPreview{{Name: "member-1", Objects: []engine.ObjectPreview{
		{Identifier: settings, Action: takeover.ActionNone, Exists: true, Owned: true},
	}}}}, true, true)
	if planned, found := s.PlanTakeover("api", []engine.Giver{{Name: "web"}}, nil)["web"]; !found || !planned.Removal || !planned.Placed["member-1"][settings.Key()] {
		t.Errorf("%+v", planned)
	}
}

// Whichever plan is second finds the objects that one placement deletes and the other one does not take over.
func TestLoss(t *testing.T) {
	t.Parallel()
	plan := func(action takeover.Action) *engine.Preview {
		return &engine.Preview{Clusters: []engine.ClusterPreview{{Name: "member-1", Objects: []engine.ObjectPreview{{Identifier: settings, Action: action, Exists: true}}}}}
	}
	want := []report.Loss{{Giver: "bulk", Taker: "web", Removal: true, Renames: true, Objects: []engine.Overlap{{Cluster: "member-1", Object: settings.Key()}}}}
	for _, taken := range []takeover.Action{takeover.ActionLeaveAlone, takeover.ActionReject} {
		var s, reversed Session
		if lost, _ := s.PlanObjects("web", plan(taken), false, true); lost != nil {
			t.Errorf("%+v", lost)
		}
		reversed.PlanObjects("bulk", plan(takeover.ActionPrune), true, true)
		giverLast, _ := s.PlanObjects("bulk", plan(takeover.ActionPrune), true, true)
		takerLast, _ := reversed.PlanObjects("web", plan(taken), false, true)
		for _, got := range [][]report.Loss{giverLast, takerLast} {
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		}
		s.Exists("web", engine.Placement{})
		if lost, _ := s.PlanObjects("bulk", plan(takeover.ActionPrune), true, true); len(lost) != 1 || lost[0].Renames {
			t.Errorf("the taker exists: %+v", lost)
		}
		if lost, _ := s.PlanObjects("web", plan(taken), false, false); len(lost) != 1 || !lost[0].Unchanged {
			t.Errorf("the taker does not change: %+v", lost)
		}
		// The placement that listed the objects is destroyed as well.
		if lost, _ := s.PlanObjects("web", plan(takeover.ActionNone), true, true); lost != nil {
			t.Errorf("%+v", lost)
		}
	}
}

// While another operation of the run is in progress, a removal waits for the placements that take its objects over. It does not wait for ever.
func TestAwaitTakers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &Session{}
		s.AwaitTakers(t.Context(), nil)
		end := s.Work()
		waited := make(chan struct{})
		go func() {
			defer close(waited)
			s.AwaitTakers(t.Context(), []string{"web", "api"})
		}()
		s.PlacementApplied("api")
		synctest.Wait()
		select {
		case <-waited:
			t.Error("the removal does not wait for the other taker")
		default:
		}
		s.PlacementApplied("web")
		end()
		<-waited
		s.AwaitTakers(t.Context(), []string{"web"})
		s.AwaitTakers(t.Context(), []string{"never"}) // nothing is in progress
	})
}

// A removal also waits for a taker that Terraform starts after it.
func TestAwaitTakersThatStartLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &Session{}
		applied := false
		go func() {
			time.Sleep(time.Second)
			end := s.Work()
			time.Sleep(time.Hour)
			applied = true
			s.PlacementApplied("web")
			end()
		}()
		s.AwaitTakers(t.Context(), []string{"web"})
		if !applied {
			t.Error("the removal did not wait")
		}
	})
}

// If an error about a hand-over between two placements names objects, neither placement warns about them, whichever returns the error. The two are planned at
// the same time. A placement waits neither for one that Terraform does not plan after its refresh, nor for an unrelated one.
func TestAwaitRefusal(t *testing.T) {
	t.Parallel()
	deletes := &engine.Preview{Clusters: []engine.ClusterPreview{{Name: "member-1", Objects: []engine.ObjectPreview{
		{Identifier: settings, Action: takeover.ActionPrune, Exists: true},
	}}}}
	for name, refuses := range map[string]bool{"refused": true, "not refused": false} {
		synctest.Test(t, func(t *testing.T) {
			s := &Session{}
			defer s.Work()()
			defer s.Work()()
			read, removed := s.BeginRead("bulk"), s.BeginRead("removed")
			end := s.BeginPlan("web", "")
			s.PlanObjects("web", deletes, false, true)
			first := make(chan bool)
			go func() { first <- s.AwaitRefusal(t.Context(), "web") }()
			removed(true)
			read(true)
			time.Sleep(betweenReadAndPlan / 2)
			endBulk := s.BeginPlan("bulk", "bulk")
			synctest.Wait()
			select {
			case <-first:
				t.Errorf("%s: the first plan does not wait for the other one", name)
			default:
			}
			s.PlanObjects("bulk", deletes, true, true)
			if refuses {
				s.RefuseHandOver("web", "bulk")
			}
			if got := s.AwaitRefusal(t.Context(), "bulk"); got != refuses {
				t.Errorf("%s: %v for the second plan", name, got)
			}
			if got := <-first; got != refuses {
				t.Errorf("%s: %v for the first plan", name, got)
			}
			var diags diag.Diagnostics
			for _, of := range []string{"web", "bulk"} {
				s.PlansChange(of, total(of, "member-1", takeover.ActionPrune))
			}
			end(&diags)
			endBulk(&diags)
			if (len(diags) == 0) != refuses {
				t.Errorf("%s: the sum is %v", name, diags)
			}
			s.BeginRead("never ends")
			s.PlanObjects("other", &engine.Preview{}, false, true)
			if s.AwaitRefusal(t.Context(), "other") {
				t.Errorf("%s: the session reports a refusal for an unrelated placement", name)
			}
		})
	}
}
