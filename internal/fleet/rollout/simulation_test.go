package rollout

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// world is a fleet under a caller that follows Next.
type world struct {
	settings Settings
	now      time.Time
	// clusters are those that have or will have the placement; works reports whether they really work.
	clusters []Cluster
	works    map[string]bool
}

func drawWorld(t *rapid.T, unavailable []string) *world {
	w := &world{now: noon, works: map[string]bool{}}
	changes := rapid.SliceOfN(rapid.SampledFrom(Change("").Values()), 0, 12).Draw(t, "changes")
	picked := 0
	for i, change := range changes {
		c := Cluster{Name: fmt.Sprintf("c%02d", i), Change: Change(change), Trackable: rapid.Bool().Draw(t, "trackable")}
		if c.Change != Create {
			c.State = rapid.SampledFrom([]State{Ready, Ready, Ready, NotReady, Applying, Failing}).Draw(t, "state")
			c.AvailableSince = noon.Add(-time.Duration(rapid.IntRange(0, 120).Draw(t, "ago")) * time.Second)
			w.works[c.Name] = c.State == Ready
		}
		if c.Change != Remove {
			picked++
		}
		w.clusters = append(w.clusters, c)
	}
	// PickN and PickFixed may request more clusters than exist.
	target := picked + rapid.SampledFrom([]int{0, 0, 3}).Draw(t, "missing")
	s, err := ParseSettings(placement.RollingUpdate{
		MaxUnavailable:           rapid.SampledFrom(unavailable).Draw(t, "max_unavailable"),
		MaxSurge:                 rapid.SampledFrom([]string{"0", "1", "25%", "100%"}).Draw(t, "max_surge"),
		UnavailablePeriodSeconds: new(rapid.Int64Range(0, 90).Draw(t, "period")),
	}, target)
	if err != nil {
		t.Fatal(err)
	}
	w.settings = s
	return w
}

// next calls Next twice, with different orders of the clusters, and compares the results.
func (w *world) next(t *rapid.T) Step {
	step := Next(w.settings, w.clusters, w.now)
	again := Next(w.settings, rapid.Permutation(w.clusters).Draw(t, "order"), w.now)
	if fmt.Sprint(step) != fmt.Sprint(again) {
		t.Fatalf("the order matters:\n%+v\n%+v", step, again)
	}
	return step
}

// countWorking counts the clusters that really work, regardless of what Next knows about them.
func (w *world) countWorking() int {
	count := 0
	for _, works := range w.works {
		if works {
			count++
		}
	}
	return count
}

func (w *world) start(t *rapid.T, step Step) {
	before, occupied, created := w.countWorking(), 0, 0
	for _, c := range w.clusters {
		if c.Change == Create && slices.Contains(step.Start, c.Name) {
			created++
		} else if c.Change != Create && c.State != Failing || c.State == Removing {
			occupied++
		}
	}
	// Creations do not exceed the surge.
	if limit := w.settings.Target + w.settings.MaxSurge.Of(w.settings.Target); created > 0 && occupied+created > limit {
		t.Fatalf("%d clusters have the placement, %d get it, the maximum is %d: %+v", occupied, created, limit, step)
	}
	for i := range w.clusters {
		c := &w.clusters[i]
		switch {
		case slices.Contains(step.Start, c.Name):
			c.Change, c.State = None, Applying
		case slices.Contains(step.Remove, c.Name):
			c.State = Removing
		default:
			continue
		}
		w.works[c.Name] = false
	}
	w.checkStep(t, step, before)
}

// checkStep checks the guarantees of a step.
func (w *world) checkStep(t *rapid.T, step Step, before int) {
	picked := 0
	for _, c := range w.clusters {
		if c.Change != Remove {
			picked++
		}
	}
	// A step never reduces the number of working clusters below the guaranteed one.
	target := min(picked, w.settings.Target)
	if after := w.countWorking(); after < before && after < target-w.settings.MaxUnavailable.Of(target) {
		t.Fatalf("%d of %d clusters work, %d worked before: %+v", after, target, before, step)
	}
	waiting := 0
	for _, c := range w.clusters {
		if _, waits := step.Waiting[c.Name]; waits {
			waiting++
			if slices.Contains(step.Start, c.Name) || slices.Contains(step.Remove, c.Name) {
				t.Fatalf("%s waits although it was started: %+v", c.Name, step)
			}
		} else if c.Change != None && c.State != Removing {
			t.Fatalf("%s neither waits nor was started: %+v", c.Name, step)
		}
	}
	if waiting != len(step.Waiting) || step.Done == (step.CheckAfter > 0) {
		t.Fatalf("got %+v", step)
	}
	if len(step.Stuck) > 0 && (step.Done || len(step.Start)+len(step.Remove) > 0) {
		t.Fatalf("stuck and not done disagree: %+v", step)
	}
}

// complete completes the change in progress on a cluster.
func (w *world) complete(i int, state State) {
	c := &w.clusters[i]
	if c.State == Removing {
		if c.Change == Remove {
			delete(w.works, c.Name)
			w.clusters = slices.Delete(w.clusters, i, i+1)
			return
		}
		c.State = ""
		return
	}
	if state == Ready && c.State != Ready {
		c.AvailableSince = w.now
	}
	c.State = state
	w.works[c.Name] = state == Ready
}

func (w *world) findInProgress() []int {
	var indexes []int
	for i, c := range w.clusters {
		if c.State == Removing || c.Change == None && (c.State == Applying || c.State == NotReady) {
			indexes = append(indexes, i)
		}
	}
	return indexes
}

// TestRolloutEnds checks that a rollout ends after a limited number of steps if all started changes complete.
func TestRolloutEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t, []string{"1", "25%", "3", "100%"})
		for i := range w.clusters {
			// A failure at the newest version would stop the rollout.
			if c := &w.clusters[i]; c.Change == None && c.State == Failing {
				c.State = Applying
			}
		}
		for limit := 10 * (len(w.clusters) + 1); ; limit-- {
			step := w.next(t)
			if step.Done {
				break
			}
			if limit == 0 || len(step.Stuck) > 0 {
				t.Fatalf("the rollout does not end: %+v of %+v", step, w.clusters)
			}
			w.start(t, step)
			if moving := w.findInProgress(); len(moving) > 0 {
				w.complete(rapid.SampledFrom(moving).Draw(t, "arrives"), Ready)
			}
			w.now = w.now.Add(step.CheckAfter)
		}
		for _, c := range w.clusters {
			if c.Change != None || c.State != Ready {
				t.Fatalf("the rollout ended in a wrong state: %+v", w.clusters)
			}
		}
	})
}

// TestRolloutOfAnything simulates a fleet in which anything can happen at any time.
func TestRolloutOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t, []string{"0", "1", "25%", "100%"})
		pick := func(t *rapid.T, which func(Cluster) bool) int {
			var indexes []int
			for i, c := range w.clusters {
				if which(c) {
					indexes = append(indexes, i)
				}
			}
			if len(indexes) == 0 {
				t.Skip("none")
			}
			return rapid.SampledFrom(indexes).Draw(t, "cluster")
		}
		t.Repeat(map[string]func(*rapid.T){
			"step": func(t *rapid.T) { w.start(t, w.next(t)) },
			"arrive": func(t *rapid.T) {
				i := pick(t, func(c Cluster) bool { return c.Change == None || c.State == Removing })
				w.complete(i, rapid.SampledFrom([]State{Ready, NotReady, Failing}).Draw(t, "state"))
			},
			"lose": func(t *rapid.T) {
				i := pick(t, func(c Cluster) bool { return c.State != Removing && c.State != "" })
				w.clusters[i].State = Unreachable
			},
			"interrupt": func(t *rapid.T) {
				// The process ends, and the next one finds the interrupted changes.
				for i := range w.clusters {
					switch c := &w.clusters[i]; {
					case c.Change == None && c.State == Applying:
						c.Change = Update
					case c.State == Removing && c.Change == Remove:
						c.State = NotReady
					}
				}
			},
			"new version": func(*rapid.T) {
				for i := range w.clusters {
					if w.clusters[i].Change == None {
						w.clusters[i].Change = Update
					}
				}
			},
			"time passes": func(t *rapid.T) {
				w.now = w.now.Add(time.Duration(rapid.IntRange(1, 100).Draw(t, "seconds")) * time.Second)
			},
			"": func(t *rapid.T) {
				step := w.next(t)
				for _, name := range append(slices.Clone(step.Stuck), step.Holding...) {
					if !slices.ContainsFunc(w.clusters, func(c Cluster) bool { return c.Name == name }) {
						t.Fatalf("there is no %s: %+v", name, step)
					}
				}
				quiet := len(step.Start)+len(step.Remove) == 0 && len(w.findInProgress()) == 0
				proving := slices.ContainsFunc(w.clusters, func(c Cluster) bool { status, _ := c.evaluate(w.settings, w.now); return status == statusProving })
				if quiet && !proving && !step.Done && len(step.Stuck) == 0 {
					t.Fatalf("nothing can happen, and no cluster is reported as stuck: %+v of %+v", step, w.clusters)
				}
			},
		})
	})
}

// TestInterruptedRolloutEnds checks that a rollout ends although it is interrupted at every fifth step.
func TestInterruptedRolloutEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t, []string{"1", "25%"})
		for i := range w.clusters {
			if c := &w.clusters[i]; c.Change == None && c.State == Failing {
				w.complete(i, Ready)
			}
		}
		for limit := 20 * (len(w.clusters) + 1); limit > 0; limit-- {
			step := w.next(t)
			if step.Done {
				return
			}
			w.start(t, step)
			w.now = w.now.Add(step.CheckAfter)
			interrupted := limit%5 == 0
			for _, i := range slices.Backward(w.findInProgress()) {
				if c := &w.clusters[i]; interrupted && c.State == Applying {
					c.Change = Update
				} else {
					w.complete(i, Ready)
				}
			}
		}
		t.Fatalf("the rollout does not end: %+v", w.clusters)
	})
}

// TestBrokenVersionStops checks that a version that never becomes available reaches only max_unavailable clusters, and that the next version
// reaches those first.
func TestBrokenVersionStops(t *testing.T) {
	s := settings(t, "25%", "25%", 10)
	clusters := fleet(many("abcdefghij", "Update"))
	roll := func(becomes State) Step {
		for {
			step := Next(s, clusters, noon)
			if len(step.Start) == 0 {
				return step
			}
			for i := range clusters {
				if slices.Contains(step.Start, clusters[i].Name) {
					clusters[i].Change, clusters[i].State = None, becomes
				}
			}
		}
	}
	step := roll(NotReady)
	if want := []string{"a", "b", "c"}; !slices.Equal(step.Holding, want) || step.Done || len(step.Waiting) != 7 {
		t.Fatalf("got %+v", step)
	}
	for i := range clusters {
		clusters[i].Change = Update
	}
	if step := Next(s, clusters, noon); !slices.Equal(step.Start, []string{"a", "b", "c"}) {
		t.Fatalf("got %+v", step)
	}
	if step := roll(Ready); !step.Done {
		t.Fatalf("got %+v", step)
	}
}
