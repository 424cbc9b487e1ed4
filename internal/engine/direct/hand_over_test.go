package direct_test

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// split is a placement "bulk" that loses objects, and a placement "web" that takes some of them over.
type split struct {
	*world
	// name distinguishes the objects and the placements of several splits in one world.
	name      string
	bulk, web enginetest.Request
	// uids has the UIDs of the objects before the change, by cluster and object.
	uids map[string]string
}

// movedObjects are the objects that web takes over: bulk created the first, and has taken over the second itself.
var movedObjects = []string{"moved", "old"}

// newSplit applies bulk and prepares the change: bulk keeps one object, web takes over two and places a new one, and neither places the object "dropped".
func (w *world) newSplit(name string) *split {
	w.Helper()
	s := &split{world: w, name: name}
	text := func(object, value string) string { return configMap(s.object(object), value) }
	for _, cluster := range w.Members {
		w.Put(cluster, text("old", "theirs"))
	}
	s.bulk = withIdentity(w.newRequest(name+"-bulk", text("kept", "1"), text("moved", "1"), text("old", "1"), text("dropped", "1")), "the ID of bulk")
	s.bulk.Key = engine.Key("the key of bulk")
	s.web = withIdentity(w.newRequest(name+"-web", text("moved", "2"), text("old", "1"), text("new", "1")), "the ID of web")
	s.web.Key = engine.Key("the key of web")
	s.web = strategy(s.web, placement.ClientSideApply, placement.TakeOverNever)
	s.web.TakesOverFrom = []engine.Giver{{Name: s.bulk.Name}}
	w.DeleteAtEnd(s.bulk)
	w.DeleteAtEnd(s.web)
	s.bulk = s.bulk.After(w.ApplyBy(w.Past(), s.bulk).Status).With(w.Manifests(text("kept", "1")))
	s.uids = s.liveUIDs()
	return s
}

func (s *split) object(name string) string { return s.name + "-" + name }

// liveUIDs returns the UIDs of the objects that must survive, by cluster and object.
func (s *split) liveUIDs() map[string]string {
	s.Helper()
	out := map[string]string{}
	for _, cluster := range s.Members {
		for _, object := range append([]string{"kept"}, movedObjects...) {
			if u := s.Find(cluster, "v1 ConfigMap "+s.object(object)); u != nil && u.GetDeletionTimestamp() == nil {
				out[cluster+" "+object] = string(u.GetUID())
			}
		}
	}
	return out
}

// checkSurvival fails the test if an object was deleted or recreated.
func (s *split) checkSurvival(when string) {
	s.Helper()
	if got := s.liveUIDs(); !maps.Equal(got, s.uids) {
		s.Errorf("%s: the objects are %v, they were %v", when, got, s.uids)
	}
}

// plan computes the previews in the order of one run: the taker, then the giver, which depends on the taker's preview.
func (s *split) plan() (web, bulk *engine.Preview) {
	s.Helper()
	s.web.Expected, s.bulk.Expected = nil, nil
	web, err := s.web.Preview(s.Context(), s.Engine())
	if err != nil {
		s.Fatal(err)
	}
	s.bulk.Takers = s.takers(web)
	if bulk, err = s.bulk.Preview(s.Context(), s.Engine()); err != nil {
		s.Fatal(err)
	}
	s.web.Expected, s.bulk.Expected = s.digest(web), s.digest(bulk)
	return web, bulk
}

func (s *split) takers(web *engine.Preview) engine.Takers {
	return engine.Takers{engine.NewTaker(s.web.Name, s.web.TakesOverFrom[0], web)}
}

func (s *split) digest(preview *engine.Preview) *engine.Expectation {
	s.Helper()
	out, err := engine.ParseExpectation(engine.Expect(preview).String())
	if err != nil {
		s.Fatal(err)
	}
	return out
}

// run plans and applies both.
func (s *split) run() {
	s.Helper()
	s.plan()
	s.applyWeb()
	s.applyBulk()
}

func (s *split) applyWeb() *engine.Result {
	s.Helper()
	result := s.Apply(s.web)
	s.web = s.web.After(result.Status)
	return result
}

func (s *split) applyBulk() *engine.Result {
	s.Helper()
	result := s.Apply(s.bulk)
	s.bulk = s.bulk.After(result.Status)
	return result
}

// checkDone fails the test unless the hand-over is complete: each object is in one record, the record says whether it was created or taken over, and the plan
// is empty.
func (s *split) checkDone() {
	s.Helper()
	s.checkSurvival("after the hand-over")
	for _, cluster := range s.Members {
		bulk, web := s.inventory(cluster, s.object("bulk")), s.inventory(cluster, s.object("web"))
		if got := keys(bulk); !slices.Equal(got, []string{"ConfigMap " + s.object("kept")}) {
			s.Errorf("%s: bulk has %v", cluster, got)
		}
		if len(web) != 3 || web["ConfigMap "+s.object("moved")].Adopted || !web["ConfigMap "+s.object("old")].Adopted {
			s.Errorf("%s: web has %+v", cluster, web)
		}
		if s.value(cluster, s.object("moved")) != "2" || s.value(cluster, s.object("dropped")) != "absent" || s.value(cluster, s.object("new")) != "1" {
			s.Errorf("%s: the objects are not as they are placed", cluster)
		}
	}
	s.checkSettled()
}

// checkSettled fails the test unless the next plan is empty, with the argument takes_over_from and without it.
func (s *split) checkSettled() {
	s.Helper()
	web, bulk := s.plan()
	if web.Pending() || bulk.Pending() {
		s.Errorf("there is something to do still: %+v, %+v", web.Clusters, bulk.Clusters)
	}
	without := s.web
	without.TakesOverFrom, without.Expected = nil, nil
	s.checkIdle(without)
	s.bulk.Takers, s.bulk.Expected = nil, nil
	s.checkIdle(s.bulk)
}

// checkRemoval deletes both placements, web last, and fails the test unless that deletes the objects that bulk or web created.
func (s *split) checkRemoval() {
	s.Helper()
	s.web.Expected, s.bulk.Expected, s.bulk.Takers = nil, nil, nil
	s.Delete(s.bulk)
	for _, cluster := range s.Members {
		if s.value(cluster, s.object("kept")) != "absent" || s.value(cluster, s.object("moved")) != "2" || s.value(cluster, s.object("old")) != "1" {
			s.Errorf("%s: the removal of bulk takes what web has, or leaves what bulk has", cluster)
		}
	}
	s.Delete(s.web)
	for _, cluster := range s.Members {
		if s.value(cluster, s.object("moved")) != "absent" || s.value(cluster, s.object("new")) != "absent" || s.value(cluster, s.object("old")) != "1" {
			s.Errorf("%s: the removal of web does not delete what was created, or deletes what was not", cluster)
		}
		if s.inventory(cluster, s.object("bulk")) != nil || s.inventory(cluster, s.object("web")) != nil {
			s.Errorf("%s: a record is left", cluster)
		}
	}
}

// actions returns the actions of a preview on a cluster, by object.
func (s *split) actions(preview *engine.Preview, cluster string) map[string]takeover.Action {
	out := map[string]takeover.Action{}
	for _, c := range preview.Clusters {
		for _, o := range c.Objects {
			if c.Name == cluster {
				out[strings.TrimPrefix(o.Name, s.name+"-")] = o.Action
			}
		}
	}
	return out
}

// TestHandOver checks that an object that moves from one placement to another changes its owner, and that both plans show it, regardless of when_to_take_over.
func TestHandOver(t *testing.T) {
	t.Parallel()
	for _, how := range applyTypes {
		s := newWorld(t).newSplit("split-" + strings.ToLower(string(how)[:6]))
		s.web = strategy(s.web, how, placement.TakeOverNever)
		if how == placement.ServerSideApply {
			s.web.Spec.Strategy.ApplyStrategy.ServerSideApplyConfig = &placement.ServerSideApplyConfig{Force: new(true)}
		}
		web, bulk := s.plan()
		for _, cluster := range s.Members {
			if got, want := s.actions(web, cluster), (map[string]takeover.Action{
				"moved": takeover.ActionTakeOverFrom, "old": takeover.ActionTakeOverFrom, "new": takeover.ActionCreate,
			}); !maps.Equal(got, want) {
				t.Errorf("%s: web's plan shows %v", cluster, got)
			}
			if got, want := s.actions(bulk, cluster), (map[string]takeover.Action{
				"kept": takeover.ActionNone, "moved": takeover.ActionHandOver, "old": takeover.ActionHandOver, "dropped": takeover.ActionPrune,
			}); !maps.Equal(got, want) {
				t.Errorf("%s: bulk's plan shows %v", cluster, got)
			}
		}
		for _, o := range web.Clusters[0].Objects {
			switch o.Name {
			case s.object("moved"):
				if o.Given == nil || o.Given.From != s.bulk.Name || !o.Given.Created || o.Conflict() || len(o.Differences) != 1 {
					t.Errorf("%s is shown as %+v", o.Name, o)
				}
			case s.object("old"):
				if o.Given == nil || o.Given.Created || len(o.Differences) != 0 {
					t.Errorf("%s is shown as %+v", o.Name, o)
				}
			}
		}
		for _, o := range bulk.Clusters[0].Objects {
			if o.Action == takeover.ActionHandOver && (o.To != s.web.Name || o.Problem != "") {
				t.Errorf("%s is handed over as %+v", o.Name, o)
			}
		}
		s.checkComplete(s.applyWeb().Status)
		s.checkSurvival("after the apply of web")
		s.checkComplete(s.applyBulk().Status)
		s.checkDone()
		s.checkRemoval()
	}
}

// TestInterruptedHandOver checks that an interruption at any write of either placement deletes no object that is handed over, and that the next run completes
// the hand-over.
func TestInterruptedHandOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.newSplit("writes")
	writes := map[string]int{}
	s.plan()
	w.Reset()
	s.applyWeb()
	writes["web"] = len(slices.DeleteFunc(w.Writes(), isRenewal))
	w.Reset()
	s.applyBulk()
	writes["bulk"] = len(slices.DeleteFunc(w.Writes(), isRenewal))
	s.checkDone()
	for i, what := range interruptions {
		if what.all {
			continue // TestInterruptedApply covers them
		}
		for _, side := range []string{"web", "bulk"} {
			t.Run(side+" "+what.name, func(t *testing.T) {
				t.Parallel()
				every := stride(1)
				for k := 1 + i%every; k <= writes[side]; k += every {
					w := newWorld(t)
					s := w.newSplit(strings.ToLower(strings.ReplaceAll(side+"-"+what.name, " ", "-")))
					s.interruptSide(side, what, k)
					if t.Failed() {
						t.Fatalf("at write %d of %s", k, side)
					}
				}
			})
		}
	}
}

// interruptSide interrupts one placement of a run at its k-th write, and completes the hand-over with another run.
func (s *split) interruptSide(side string, what interruption, k int) {
	s.Helper()
	s.plan()
	request := &s.web
	if side == "bulk" {
		s.applyWeb()
		request = &s.bulk
	}
	s.interrupt(what, k, *request)
	again := *s
	again.world = s.restarted()
	again.checkSurvival("after the interruption")
	again.resume()
	again.run()
	again.checkDone()
	again.checkRemoval()
}

// TestInterruptedMerge interrupts an apply of the taker that also removes the record of a giver that no resource manages any more. It checks that the next run
// completes the apply after an interruption at any write.
func TestInterruptedMerge(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	prepare := func(name string) *split {
		s := newWorld(t).newSplit(name)
		s.web.TakesOverFrom[0].Removed = true
		s.web.Manifests = s.Manifests(configMap(s.object("moved"), "2"), configMap(s.object("old"), "1"), configMap(s.object("kept"), "1"), configMap(s.object("dropped"), "1"))
		s.web.Expected = s.expect(s.web)
		return s
	}
	s := prepare("merges")
	s.Reset()
	s.applyWeb()
	writes := len(slices.DeleteFunc(s.Writes(), isRenewal))
	for i, what := range interruptions[:3] {
		t.Run(what.name, func(t *testing.T) {
			t.Parallel()
			every := stride(1)
			for k := 1 + i%every; k <= writes; k += every {
				s := prepare(strings.ToLower(strings.ReplaceAll("merge-"+what.name, " ", "-")))
				s.interrupt(what, k, s.web)
				again := *s
				again.world = s.restarted()
				again.checkSurvival("after the interruption")
				again.resume()
				again.web.Expected = nil
				again.web.Expected = again.expect(again.web)
				again.checkComplete(again.applyWeb().Status)
				again.checkSurvival("after the merge")
				for _, cluster := range again.Members {
					if again.inventory(cluster, again.object("bulk")) != nil || again.Find(cluster, record("Secret", again.object("bulk"))) != nil {
						t.Errorf("%s: the record of bulk remains", cluster)
					}
				}
				again.web.Expected = nil
				again.checkIdle(again.web)
				again.Delete(again.web)
				for _, cluster := range again.Members {
					if again.value(cluster, again.object("kept")) != "absent" || again.value(cluster, again.object("old")) != "1" {
						t.Errorf("%s: the removal of web does not delete exactly the created objects", cluster)
					}
				}
				if t.Failed() {
					t.Fatalf("at write %d", k)
				}
			}
		})
	}
}

// TestInterruptedRemovalOfGiver checks that a removal of the giver that was interrupted at any write hands over the objects when it is repeated.
func TestInterruptedRemovalOfGiver(t *testing.T) {
	t.Parallel()
	prepare := func(name string) *split {
		s := newWorld(t).newSplit(name)
		web, err := s.web.Preview(t.Context(), s.Engine())
		if err != nil {
			t.Fatal(err)
		}
		s.web.Expected, s.bulk.Takers = s.digest(web), s.takers(web)
		s.planRemoval()
		return s
	}
	s := prepare("removals")
	s.Reset()
	s.Delete(s.bulk)
	writes := len(slices.DeleteFunc(s.Writes(), isRenewal))
	every := stride(1)
	for i, fault := range []clusters.Fault{{LoseResponse: true}, {Status: http.StatusForbidden}} {
		t.Run(fault.String(), func(t *testing.T) {
			t.Parallel()
			for k := 1 + i; k <= writes; k += every {
				s := prepare(fmt.Sprintf("removal-%d", i))
				seen, fault := 0, fault
				fault.Match = func(r clusters.Request) bool {
					if !r.Write() || isRenewal(r) {
						return false
					}
					seen++
					return seen == k
				}
				undo := s.Inject(fault)
				_, err := s.bulk.Delete(t.Context(), s.Engine())
				undo()
				s.uids = s.liveUIDs()
				if len(s.uids) < len(movedObjects)*len(s.Members) {
					t.Errorf("an object that is handed over was deleted: %v", s.uids)
				}
				if err != nil {
					s.planRemoval()
					s.Delete(s.bulk)
				}
				s.applyWeb()
				for _, cluster := range s.Members {
					if s.inventory(cluster, s.object("bulk")) != nil || s.inventory(cluster, s.object("web"))["ConfigMap "+s.object("moved")].Adopted {
						t.Errorf("%s: %v, %v", cluster, s.inventory(cluster, s.object("bulk")), s.inventory(cluster, s.object("web")))
					}
				}
				if t.Failed() {
					t.Fatalf("at write %d", k)
				}
			}
		})
	}
}

// planRemoval plans the removal of bulk.
func (s *split) planRemoval() {
	s.Helper()
	s.bulk.ExpectedRemoval = nil
	bulk, err := s.bulk.PreviewDelete(s.Context(), s.Engine())
	if err != nil {
		s.Fatal(err)
	}
	s.bulk.ExpectedRemoval = s.digest(bulk)
}

// TestDestroyOfHalfAHandOver checks that only pre-existing objects remain if both placements are destroyed in one run while a hand-over is incomplete.
func TestDestroyOfHalfAHandOver(t *testing.T) {
	t.Parallel()
	s := newWorld(t).newSplit("halfway")
	s.plan()
	s.applyWeb()
	s.checkRemoval()
	if s.value("member-1", s.object("dropped")) != "absent" {
		t.Error("an object of bulk remains")
	}
}

// resume refreshes the state of web after an apply that did not return, if there is a record of that apply.
func (s *split) resume() {
	s.Helper()
	recorded, err := s.web.Read(s.Context(), s.Engine())
	switch {
	case errors.Is(err, engine.ErrNotFound):
	case err != nil:
		s.Fatal(err)
	default:
		s.web = s.web.After(recorded.Status)
	}
}

// TestHandOverOfWhatIsNotTaken checks that the object stays with the giver, which does not delete it, if the taker fails. The next run hands it over.
func TestHandOverOfWhatIsNotTaken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.newSplit("fails")
	s.plan()
	undo := w.Inject(clusters.Fault{Match: onPath("member-1", http.MethodPatch, "/configmaps/"+s.object("moved")), Status: http.StatusForbidden})
	result := s.applyWeb()
	undo()
	if failures(result.Status, "member-1")[s.object("moved")] == "" {
		t.Fatal("the takeover did not fail")
	}
	warnings := s.applyBulk().Warnings
	w.Contains(strings.Join(warnings, "\n"), "member-1", s.object("moved")+" stays on the cluster until the placement", s.web.Name)
	if len(warnings) != 1 {
		t.Errorf("%q", warnings)
	}
	s.checkSurvival("after the failure")
	if e := s.inventory("member-1", s.object("bulk"))["ConfigMap "+s.object("moved")]; e.UID == "" || e.Adopted {
		t.Errorf("bulk has the entry %+v of the object that was not taken over", e)
	}
	s.run()
	s.checkDone()
	s.checkRemoval()
}

// TestRemovalHandsOver checks that the objects remain when the giver is removed, whichever of the two operations runs first, and also if the taker fails.
func TestRemovalHandsOver(t *testing.T) {
	t.Parallel()
	for name, order := range map[string]func(s *split){
		"taker-first": func(s *split) { s.applyWeb(); s.deleteBulk() },
		"giver-first": func(s *split) { s.deleteBulk(); s.checkSurvival("after the removal of bulk"); s.applyWeb() },
		"taker-fails": func(s *split) {
			undo := s.Inject(clusters.Fault{Context: "member-1", Status: http.StatusForbidden, Match: func(r clusters.Request) bool {
				return r.Method == http.MethodPatch && strings.Contains(r.Path, s.configMaps())
			}})
			s.applyWeb()
			undo()
			s.deleteBulk()
			s.checkSurvival("after the removal of bulk")
			if got := s.inventory("member-1", s.object("bulk")); len(got) != 2 {
				t.Errorf("the record of bulk has %v", got)
			}
			s.web.Expected = nil
			s.web.Expected = s.expect(s.web)
			s.applyWeb()
		},
	} {
		s := newWorld(t).newSplit(name)
		web, err := s.web.Preview(t.Context(), s.Engine())
		if err != nil {
			t.Fatal(err)
		}
		s.web.Expected, s.bulk.Takers = s.digest(web), s.takers(web)
		bulk, err := s.bulk.PreviewDelete(t.Context(), s.Engine())
		if err != nil {
			t.Fatal(err)
		}
		if got, want := s.actions(bulk, "member-1"), (map[string]takeover.Action{
			"kept": takeover.ActionPrune, "moved": takeover.ActionHandOver, "old": takeover.ActionHandOver, "dropped": takeover.ActionPrune,
		}); !maps.Equal(got, want) {
			t.Errorf("%s: the plan of the removal shows %v", name, got)
		}
		s.bulk.ExpectedRemoval = s.digest(bulk)
		for _, cluster := range s.Members {
			delete(s.uids, cluster+" kept")
		}
		order(s)
		for _, cluster := range s.Members {
			if s.value(cluster, s.object("kept")) != "absent" || s.inventory(cluster, s.object("bulk")) != nil {
				t.Errorf("%s: %s: the removal of bulk left entries: %v", name, cluster, s.inventory(cluster, s.object("bulk")))
			}
			if got := s.inventory(cluster, s.object("web"))["ConfigMap "+s.object("moved")]; got.Adopted {
				t.Errorf("%s: %s: objects created by bulk count as pre-existing", name, cluster)
			}
		}
		s.checkSurvival(name)
		s.web.Expected = nil
		s.checkIdle(s.web)
		s.Delete(s.web)
		if s.value("member-1", s.object("moved")) != "absent" || s.value("member-1", s.object("old")) != "1" {
			t.Errorf("%s: the removal of web does not delete exactly the created objects", name)
		}
	}
}

// deleteBulk removes bulk, and fails the test if the Secret with its manifests remains.
func (s *split) deleteBulk() {
	s.Helper()
	s.Delete(s.bulk)
	for _, cluster := range s.Members {
		if s.Find(cluster, record("Secret", s.object("bulk"))) != nil {
			s.Errorf("%s: the manifests of bulk remain", cluster)
		}
	}
}
