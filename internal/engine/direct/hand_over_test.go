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
	// uids are those of the objects before the change, by cluster and object.
	uids map[string]string
}

// moving are the objects that web takes over: bulk created the first, and has taken the second over itself.
var moving = []string{"moved", "old"}

// newSplit applies bulk, and prepares the change: it keeps one object, web takes two over and places a new one, and one is placed by neither.
func (w *world) newSplit(name string) *split {
	w.Helper()
	s := &split{world: w, name: name}
	text := func(object, value string) string { return configMap(s.object(object), value) }
	for _, cluster := range w.Members {
		w.Put(cluster, text("old", "theirs"))
	}
	s.bulk = managed(w.placing(name+"-bulk", text("kept", "1"), text("moved", "1"), text("old", "1"), text("dropped", "1")), "the ID of bulk")
	s.bulk.Key = engine.Key("the key of bulk")
	s.web = managed(w.placing(name+"-web", text("moved", "2"), text("old", "1"), text("new", "1")), "the ID of web")
	s.web.Key = engine.Key("the key of web")
	s.web = strategy(s.web, placement.ClientSideApply, placement.TakeOverNever)
	s.web.TakesOverFrom = []engine.Giver{{Name: s.bulk.Name}}
	w.DeleteAtEnd(s.bulk)
	w.DeleteAtEnd(s.web)
	s.bulk = s.bulk.After(w.ApplyBy(w.Past(), s.bulk).Status).With(w.Manifests(text("kept", "1")))
	s.uids = s.live()
	return s
}

func (s *split) object(name string) string { return s.name + "-" + name }

// live are the UIDs of the objects that are to survive, by cluster and object.
func (s *split) live() map[string]string {
	s.Helper()
	out := map[string]string{}
	for _, cluster := range s.Members {
		for _, object := range append([]string{"kept"}, moving...) {
			if u := s.Find(cluster, "v1 ConfigMap "+s.object(object)); u != nil && u.GetDeletionTimestamp() == nil {
				out[cluster+" "+object] = string(u.GetUID())
			}
		}
	}
	return out
}

// unharmed fails the test if an object was deleted or recreated.
func (s *split) unharmed(when string) {
	s.Helper()
	if got := s.live(); !maps.Equal(got, s.uids) {
		s.Errorf("%s: the objects are %v, they were %v", when, got, s.uids)
	}
}

// plan plans as one run does: the taker, then the giver, whose changes are bound to that.
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

// done fails the test unless the hand-over is complete: each object is in one record, with what is known of who created it, and nothing is left to do.
func (s *split) done() {
	s.Helper()
	s.unharmed("after the hand-over")
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
	s.settled()
}

// settled fails the test unless the next plan is empty, with the argument and without it.
func (s *split) settled() {
	s.Helper()
	web, bulk := s.plan()
	if web.Pending() || bulk.Pending() {
		s.Errorf("there is something to do still: %+v, %+v", web.Clusters, bulk.Clusters)
	}
	without := s.web
	without.TakesOverFrom, without.Expected = nil, nil
	s.idle(without)
	s.bulk.Takers, s.bulk.Expected = nil, nil
	s.idle(s.bulk)
}

// removed deletes both placements, web last, and fails the test unless that deletes what bulk or web created.
func (s *split) removed() {
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

// actions are those of a preview on a cluster, by object.
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

// An object that leaves one placement and belongs to another one changes its owner. Both plans show it, whatever when_to_take_over is.
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
		s.complete(s.applyWeb().Status)
		s.unharmed("after the apply of web")
		s.complete(s.applyBulk().Status)
		s.done()
		s.removed()
	}
}

// Whatever happens at whichever write on either side, nothing is deleted that is handed over, and the next run completes the hand-over.
func TestInterruptedHandOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.newSplit("writes")
	writes := map[string]int{}
	s.plan()
	w.Reset()
	s.applyWeb()
	writes["web"] = len(slices.DeleteFunc(w.Writes(), renewal))
	w.Reset()
	s.applyBulk()
	writes["bulk"] = len(slices.DeleteFunc(w.Writes(), renewal))
	s.done()
	for i, what := range interruptions {
		if what.all {
			continue // an apply meets them
		}
		for _, side := range []string{"web", "bulk"} {
			t.Run(side+" "+what.name, func(t *testing.T) {
				t.Parallel()
				every := stride(1)
				for k := 1 + i%every; k <= writes[side]; k += every {
					w := newWorld(t)
					s := w.newSplit(strings.ToLower(strings.ReplaceAll(side+"-"+what.name, " ", "-")))
					s.interrupted(side, what, k)
					if t.Failed() {
						t.Fatalf("at write %d of %s", k, side)
					}
				}
			})
		}
	}
}

// interrupted lets one side of a run meet an interruption at its k-th write, and completes the hand-over with another run.
func (s *split) interrupted(side string, what interruption, k int) {
	s.Helper()
	s.plan()
	request := &s.web
	if side == "bulk" {
		s.applyWeb()
		request = &s.bulk
	}
	s.interrupt(what, k, *request)
	again := *s
	again.world = s.another()
	again.unharmed("after the interruption")
	again.resume()
	again.run()
	again.done()
	again.removed()
}

// A run that is interrupted at any write of the taker, which also removes the record of a giver that is no longer managed, is completed by the next run.
func TestInterruptedMerge(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	prepare := func(name string) *split {
		s := newWorld(t).newSplit(name)
		s.web.TakesOverFrom[0].Removed = true
		s.web.Manifests = s.Manifests(configMap(s.object("moved"), "2"), configMap(s.object("old"), "1"), configMap(s.object("kept"), "1"), configMap(s.object("dropped"), "1"))
		s.web.Expected = s.agreed(s.web)
		return s
	}
	s := prepare("merges")
	s.Reset()
	s.applyWeb()
	writes := len(slices.DeleteFunc(s.Writes(), renewal))
	for i, what := range interruptions[:3] {
		t.Run(what.name, func(t *testing.T) {
			t.Parallel()
			every := stride(1)
			for k := 1 + i%every; k <= writes; k += every {
				s := prepare(strings.ToLower(strings.ReplaceAll("merge-"+what.name, " ", "-")))
				s.interrupt(what, k, s.web)
				again := *s
				again.world = s.another()
				again.unharmed("after the interruption")
				again.resume()
				again.web.Expected = nil
				again.web.Expected = again.agreed(again.web)
				again.complete(again.applyWeb().Status)
				again.unharmed("after the merge")
				for _, cluster := range again.Members {
					if again.inventory(cluster, again.object("bulk")) != nil || again.Find(cluster, record("Secret", again.object("bulk"))) != nil {
						t.Errorf("%s: the record of bulk is left", cluster)
					}
				}
				again.web.Expected = nil
				again.idle(again.web)
				again.Delete(again.web)
				for _, cluster := range again.Members {
					if again.value(cluster, again.object("kept")) != "absent" || again.value(cluster, again.object("old")) != "1" {
						t.Errorf("%s: the removal of web does not delete what was created, or deletes what was not", cluster)
					}
				}
				if t.Failed() {
					t.Fatalf("at write %d", k)
				}
			}
		})
	}
}

// The removal of a giver that is interrupted at any write hands the objects over all the same, once it is repeated.
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
	writes := len(slices.DeleteFunc(s.Writes(), renewal))
	every := stride(1)
	for i, fault := range []clusters.Fault{{LoseResponse: true}, {Status: http.StatusForbidden}} {
		t.Run(fault.String(), func(t *testing.T) {
			t.Parallel()
			for k := 1 + i; k <= writes; k += every {
				s := prepare(fmt.Sprintf("removal-%d", i))
				seen, fault := 0, fault
				fault.Match = func(r clusters.Request) bool {
					if !r.Write() || renewal(r) {
						return false
					}
					seen++
					return seen == k
				}
				undo := s.Inject(fault)
				_, err := s.bulk.Delete(t.Context(), s.Engine())
				undo()
				s.uids = s.live()
				if len(s.uids) < len(moving)*len(s.Members) {
					t.Errorf("what is handed over is deleted: %v", s.uids)
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

// Both placements are destroyed in one run while a hand-over is not complete: nothing is left but what was there before.
func TestDestroyOfHalfAHandOver(t *testing.T) {
	t.Parallel()
	s := newWorld(t).newSplit("halfway")
	s.plan()
	s.applyWeb()
	s.removed()
	if s.value("member-1", s.object("dropped")) != "absent" {
		t.Error("an object of bulk is left")
	}
}

// resume refreshes the state of web after an apply that did not return, as far as a record tells that there was one.
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

// A taker that fails leaves the object with the giver, which does not delete it. The next run hands it over.
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
	w.Says(strings.Join(warnings, "\n"), "member-1", s.object("moved")+" stays on the cluster until the placement", s.web.Name)
	if len(warnings) != 1 {
		t.Errorf("%q", warnings)
	}
	s.unharmed("after the failure")
	if e := s.inventory("member-1", s.object("bulk"))["ConfigMap "+s.object("moved")]; e.UID == "" || e.Adopted {
		t.Errorf("bulk has %+v of what was not taken over", e)
	}
	s.run()
	s.done()
	s.removed()
}

// A giver that is removed leaves the objects, whichever of the two applies comes first, and whether the taker fails.
func TestRemovalHandsOver(t *testing.T) {
	t.Parallel()
	for name, order := range map[string]func(s *split){
		"taker-first": func(s *split) { s.applyWeb(); s.deleteBulk() },
		"giver-first": func(s *split) { s.deleteBulk(); s.unharmed("after the removal of bulk"); s.applyWeb() },
		"taker-fails": func(s *split) {
			undo := s.Inject(clusters.Fault{Context: "member-1", Status: http.StatusForbidden, Match: func(r clusters.Request) bool {
				return r.Method == http.MethodPatch && strings.Contains(r.Path, s.configMaps())
			}})
			s.applyWeb()
			undo()
			s.deleteBulk()
			s.unharmed("after the removal of bulk")
			if got := s.inventory("member-1", s.object("bulk")); len(got) != 2 {
				t.Errorf("the record of bulk has %v", got)
			}
			s.web.Expected = nil
			s.web.Expected = s.agreed(s.web)
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
				t.Errorf("%s: %s: bulk has left something: %v", name, cluster, s.inventory(cluster, s.object("bulk")))
			}
			if got := s.inventory(cluster, s.object("web"))["ConfigMap "+s.object("moved")]; got.Adopted {
				t.Errorf("%s: %s: what bulk created counts as pre-existing", name, cluster)
			}
		}
		s.unharmed(name)
		s.web.Expected = nil
		s.idle(s.web)
		s.Delete(s.web)
		if s.value("member-1", s.object("moved")) != "absent" || s.value("member-1", s.object("old")) != "1" {
			t.Errorf("%s: the removal of web does not delete what was created, or deletes what was not", name)
		}
	}
}

// deleteBulk removes bulk. What is left of its secret and record is not its own any more.
func (s *split) deleteBulk() {
	s.Helper()
	s.Delete(s.bulk)
	for _, cluster := range s.Members {
		if s.Find(cluster, record("Secret", s.object("bulk"))) != nil {
			s.Errorf("%s: the manifests of bulk are left", cluster)
		}
	}
}
