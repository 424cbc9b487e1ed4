package rollout

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// world is a fleet under a driver that does what Next says.
type world struct {
	settings Settings
	now      time.Time
	// clusters are those that have or shall have the placement, works whether they do their work in truth.
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
	// PickN and PickFixed may want more clusters than there are.
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

// ask calls Next, and with another order of the clusters: it has to say the same.
func (w *world) ask(t *rapid.T) Step {
	step := Next(w.settings, w.clusters, w.now)
	again := Next(w.settings, rapid.Permutation(w.clusters).Draw(t, "order"), w.now)
	if fmt.Sprint(step) != fmt.Sprint(again) {
		t.Fatalf("the order matters:\n%+v\n%+v", step, again)
	}
	return step
}

// up counts the clusters that work in truth, whatever Next may know of them.
func (w *world) up() int {
	count := 0
	for _, works := range w.works {
		if works {
			count++
		}
	}
	return count
}

func (w *world) follow(t *rapid.T, step Step) {
	before, occupied, created := w.up(), 0, 0
	for _, c := range w.clusters {
		if c.Change == Create && slices.Contains(step.Start, c.Name) {
			created++
		} else if c.Change != Create && c.State != Failing || c.State == Removing {
			occupied++
		}
	}
	// Creations stay within the surge.
	if limit := w.settings.Target + w.settings.MaxSurge.Of(w.settings.Target); created > 0 && occupied+created > limit {
		t.Fatalf("%d clusters have the placement, %d get it, and at most %d may: %+v", occupied, created, limit, step)
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

// checkStep holds a step against what it promises.
func (w *world) checkStep(t *rapid.T, step Step, before int) {
	picked := 0
	for _, c := range w.clusters {
		if c.Change != Remove {
			picked++
		}
	}
	// Never do fewer clusters work than are promised because of a step.
	target := min(picked, w.settings.Target)
	if after := w.up(); after < before && after < target-w.settings.MaxUnavailable.Of(target) {
		t.Fatalf("%d of %d clusters work, %d did before: %+v", after, target, before, step)
	}
	waiting := 0
	for _, c := range w.clusters {
		if _, waits := step.Waiting[c.Name]; waits {
			waiting++
			if slices.Contains(step.Start, c.Name) || slices.Contains(step.Remove, c.Name) {
				t.Fatalf("%s waits and does not: %+v", c.Name, step)
			}
		} else if c.Change != None && c.State != Removing {
			t.Fatalf("%s neither waits nor does anything: %+v", c.Name, step)
		}
	}
	if waiting != len(step.Waiting) || step.Done == (step.LookAgain > 0) {
		t.Fatalf("got %+v", step)
	}
	if len(step.Stuck) > 0 && (step.Done || len(step.Start)+len(step.Remove) > 0) {
		t.Fatalf("it is stuck, and not: %+v", step)
	}
}

// settle lets a cluster that is on its way arrive.
func (w *world) settle(i int, state State) {
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

func (w *world) moving() []int {
	var indexes []int
	for i, c := range w.clusters {
		if c.State == Removing || c.Change == None && (c.State == Applying || c.State == NotReady) {
			indexes = append(indexes, i)
		}
	}
	return indexes
}

// TestRolloutEnds: if whatever is started arrives, a roll comes to its end, in as many steps as a roll of one at a time has at most.
func TestRolloutEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t, []string{"1", "25%", "3", "100%"})
		for i := range w.clusters {
			// What fails at the newest version would stop the roll.
			if c := &w.clusters[i]; c.Change == None && c.State == Failing {
				c.State = Applying
			}
		}
		for limit := 10 * (len(w.clusters) + 1); ; limit-- {
			step := w.ask(t)
			if step.Done {
				break
			}
			if limit == 0 || len(step.Stuck) > 0 {
				t.Fatalf("no end: %+v of %+v", step, w.clusters)
			}
			w.follow(t, step)
			if moving := w.moving(); len(moving) > 0 {
				w.settle(rapid.SampledFrom(moving).Draw(t, "arrives"), Ready)
			}
			w.now = w.now.Add(step.LookAgain)
		}
		for _, c := range w.clusters {
			if c.Change != None || c.State != Ready {
				t.Fatalf("the end is wrong: %+v", w.clusters)
			}
		}
	})
}

// TestRolloutOfAnything drives a fleet in which everything can happen at any time.
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
			"step": func(t *rapid.T) { w.follow(t, w.ask(t)) },
			"arrive": func(t *rapid.T) {
				i := pick(t, func(c Cluster) bool { return c.Change == None || c.State == Removing })
				w.settle(i, rapid.SampledFrom([]State{Ready, NotReady, Failing}).Draw(t, "state"))
			},
			"lose": func(t *rapid.T) {
				i := pick(t, func(c Cluster) bool { return c.State != Removing && c.State != "" })
				w.clusters[i].State = Unreachable
			},
			"interrupt": func(t *rapid.T) {
				// The process ends, and the next one finds what the first did not finish.
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
				step := w.ask(t)
				for _, name := range append(slices.Clone(step.Stuck), step.Holding...) {
					if !slices.ContainsFunc(w.clusters, func(c Cluster) bool { return c.Name == name }) {
						t.Fatalf("there is no %s: %+v", name, step)
					}
				}
				quiet := len(step.Start)+len(step.Remove) == 0 && len(w.moving()) == 0
				proving := slices.ContainsFunc(w.clusters, func(c Cluster) bool { is, _ := c.judge(w.settings, w.now); return is == proving })
				if quiet && !proving && !step.Done && len(step.Stuck) == 0 {
					t.Fatalf("nothing will ever happen, and nobody is named: %+v of %+v", step, w.clusters)
				}
			},
		})
	})
}

// TestInterruptedRolloutEnds: a roll that is interrupted at any step goes on from what it left.
func TestInterruptedRolloutEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t, []string{"1", "25%"})
		for i := range w.clusters {
			if c := &w.clusters[i]; c.Change == None && c.State == Failing {
				w.settle(i, Ready)
			}
		}
		for limit := 20 * (len(w.clusters) + 1); limit > 0; limit-- {
			step := w.ask(t)
			if step.Done {
				return
			}
			w.follow(t, step)
			w.now = w.now.Add(step.LookAgain)
			interrupted := limit%5 == 0
			for _, i := range slices.Backward(w.moving()) {
				if c := &w.clusters[i]; interrupted && c.State == Applying {
					c.Change = Update
				} else {
					w.settle(i, Ready)
				}
			}
		}
		t.Fatalf("no end: %+v", w.clusters)
	})
}

// TestBrokenVersionStops: a version that never becomes available reaches max_unavailable clusters and no more, and the next one those first.
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
