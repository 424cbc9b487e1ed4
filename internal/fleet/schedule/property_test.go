package schedule

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/kubefleetapi"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// TestMain sets a high number of random cases: they are cheap, and they are there to find rare combinations.
func TestMain(m *testing.M) {
	flag.Parse()
	if checks := flag.Lookup("rapid.checks"); checks != nil && checks.Value.String() == checks.DefValue {
		if err := flag.Set("rapid.checks", "4000"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// draw is a source of random values.
type draw struct{ *rapid.T }

// upTo draws a number from 0 to n.
func (d draw) upTo(n int) int { return rapid.IntRange(0, n).Draw(d.T, "n") }

// oneIn returns true once in n times.
func (d draw) oneIn(n int) bool { return d.upTo(n-1) == n-1 }

func (d draw) one(of ...string) string { return rapid.SampledFrom(of).Draw(d.T, "one") }

// absent represents an omitted value.
const absent = "-"

func (d draw) set(m map[string]string, key string, of ...string) {
	if value := d.one(of...); value != absent {
		m[key] = value
	}
}

func (d draw) cluster(name string, mistakes bool) Cluster {
	c := Cluster{Name: name, Labels: map[string]string{}, Properties: map[string]string{}}
	d.set(c.Labels, "r", "e", "w", "n", "", absent)
	d.set(c.Labels, "z", "1", "2", absent)
	d.set(c.Properties, "x", "0", "5", "6", "10", "1500m", absent)
	c.Usage.Available = map[string]string{}
	d.set(c.Usage.Available, "cpu", "1", "2500m", "4", absent)
	if mistakes && d.oneIn(20) {
		c.Properties["x"] = d.one("abc", "1e999")
	}
	if d.oneIn(5) {
		c.Taints = append(c.Taints, member.Taint{Key: "k", Value: d.one("v", ""), Effect: "NoSchedule"})
	}
	switch d.upTo(11) {
	case 0:
		c.Leaving = true
	case 1:
		c.Ineligible = "no way"
	case 2:
		c.Agent = &Agent{LastReceivedHeartbeat: now.Add(-time.Hour)}
	}
	return c
}

func (d draw) binding(mistakes bool) Binding {
	b := Binding{Cluster: d.one("c1", "c10", "c2", "c3", "c4", "c5", "gone"), Obsolete: d.oneIn(3), Deleting: d.oneIn(8),
		State: State(d.one("Scheduled", "Bound", "Bound", "Unscheduled"))}
	if b.State == Unscheduled && (!mistakes || !d.oneIn(10)) {
		b.PreviousState = State(d.one("Scheduled", "Bound"))
	}
	if !d.oneIn(4) {
		b.Score = &Score{Affinity: int32(d.upTo(3)), TopologySpread: int32(d.upTo(2) - 1)}
	}
	b.Reason = success(b.Cluster, b.Score)
	return b
}

func (d draw) term() placement.ClusterSelectorTerm {
	switch d.upTo(3) {
	case 0:
		return propertyTerm("x", d.one("Gt", "Ge", "Eq", "Ne", "Lt", "Le"), d.one("5", "1.5", "0", "6000m"))
	case 1:
		return propertyTerm(kubefleetapi.ResourcePrefix+"available-cpu", "Ge", "2")
	case 2:
		term := propertyTerm("x", "Ge", "1")
		term.LabelSelector = label("r:e").LabelSelector
		return term
	}
	return label(d.one("r:e", "z:1", "r:w,z:2", ""))
}

func (d draw) policy(mistakes bool) *placement.Policy {
	kind := placement.PlacementType(d.one("PickN", "PickN", "PickN", "PickAll", "PickFixed"))
	if kind == placement.PickFixed {
		names := rapid.SliceOfN(rapid.SampledFrom([]string{"c1", "c10", "c2", "c3", "gone"}), 0, 4)
		if !mistakes {
			names = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"c1", "c10", "c2", "c3", "gone"}), 0, 4, rapid.ID)
		}
		return fixed(names.Draw(d.T, "names")...)
	}
	var options []option
	for range d.upTo(2) * d.upTo(1) {
		options = append(options, func(p *placement.Policy) {
			affinity := clusterAffinity(p)
			if affinity.Required == nil {
				affinity.Required = &placement.ClusterSelector{}
			}
			affinity.Required.ClusterSelectorTerms = append(affinity.Required.ClusterSelectorTerms, d.term())
		})
	}
	if d.oneIn(3) {
		options = append(options, tolerate(placement.Toleration{Key: "k", Operator: placement.TolerationOperator(d.one("Exists", "Equal", "")), Value: "v"}))
	}
	if kind == placement.PickAll {
		return all(options...)
	}
	for range d.upTo(2) {
		weight := int32(d.upTo(18) - 9)
		if d.oneIn(2) {
			options = append(options, preferred(weight, label(d.one("r:e", "z:1"))))
			continue
		}
		order := d.one("Ascending", "Descending")
		if mistakes && d.oneIn(20) {
			order = "Sideways"
		}
		options = append(options, preferred(weight, sorted(d.one("x", kubefleetapi.ResourcePrefix+"available-cpu"), order)))
	}
	for range d.upTo(2) {
		options = append(options, spreadBy(d.one("r", "r", "z", "nowhere"), int32(1+d.upTo(1)), d.one("DoNotSchedule", "ScheduleAnyway")))
	}
	return pick(int32(d.upTo(7)), options...)
}

// input draws a whole input. Mistakes are values that fail a cycle, and several bindings of one cluster.
func (d draw) input(mistakes bool) Input {
	in := Input{Policy: d.policy(mistakes), Now: now}
	for _, name := range []string{"c1", "c10", "c2", "c3", "c4", "c5", "c6", "c7", "c8"}[:d.upTo(9)] {
		in.Clusters = append(in.Clusters, d.cluster(name, mistakes))
	}
	seen := map[string]bool{}
	for i := range d.upTo(5) {
		b := d.binding(mistakes)
		if !mistakes && seen[b.Cluster] {
			continue
		}
		seen[b.Cluster] = true
		if mistakes {
			b.Name = fmt.Sprint("b", i)
		}
		in.Bindings = append(in.Bindings, b)
	}
	return in
}

// byContent ignores the order of bindings, and the cause, which repeats the reason.
var byContent = cmp.Options{cmpopts.EquateEmpty(), cmpopts.IgnoreFields(Decision{}, "Cause"), cmpopts.SortSlices(func(a, b BindingOutcome) bool {
	return fmt.Sprint(a.Cluster, a.Name, a.State, a.Action) < fmt.Sprint(b.Cluster, b.Name, b.State, b.Action)
})}

// TestAgainstOracle compares all results with those of the oracle.
func TestAgainstOracle(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		in := draw{rt}.input(true)
		want, wantErr := consultOracle(in)
		got, err := Schedule(in)
		if (err != nil) != (wantErr != nil) {
			rt.Fatalf("error: %v, the oracle has: %v", err, wantErr)
		}
		if err != nil && in.Policy.PlacementType == placement.PickFixed {
			return // the oracle does not undo its steps before the error
		}
		if diff := cmp.Diff(want, got, byContent); diff != "" {
			rt.Fatalf("-oracle +scheduler:\n%s", diff)
		}
	})
}

// TestOrderDoesNotMatter shuffles clusters and bindings.
func TestOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		in := draw{rt}.input(true)
		want, wantErr := Schedule(in)
		in.Clusters = rapid.Permutation(in.Clusters).Draw(rt, "clusters")
		in.Bindings = rapid.Permutation(in.Bindings).Draw(rt, "bindings")
		got, err := Schedule(in)
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			rt.Fatalf("%v, %v", err, wantErr)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			rt.Fatalf("the order matters:\n%s", diff)
		}
	})
}

// next returns the outcome of a run as the input of the next one.
func next(in Input, out Outcome) Input {
	in.Bindings = nil
	for _, b := range out.Bindings {
		if b.Action != Release {
			in.Bindings = append(in.Bindings, b.Binding)
		}
	}
	return in
}

// TestStable checks that a second run changes nothing.
func TestStable(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		in := draw{rt}.input(false)
		first, err := Schedule(in)
		if err != nil {
			rt.Fatal(err)
		}
		second, err := Schedule(next(in, first))
		if err != nil {
			rt.Fatal(err)
		}
		for _, b := range second.Bindings {
			if b.Action != Keep {
				rt.Fatalf("%s: %s", b.Cluster, b.Action)
			}
		}
		if diff := cmp.Diff(first.Message, second.Message); diff != "" {
			rt.Fatal(diff)
		}
		a, b := first.Selected(), second.Selected()
		slices.Sort(a)
		slices.Sort(b)
		if diff := cmp.Diff(a, b, cmpopts.EquateEmpty()); diff != "" {
			rt.Fatal(diff)
		}
	})
}

// TestLooserToleration checks that PickAll never loses a cluster if a toleration is added.
func TestLooserToleration(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := draw{rt}
		in := d.input(false)
		in.Policy.PlacementType, in.Policy.TopologySpreadConstraints = placement.PickAll, nil
		before, err := Schedule(in)
		if err != nil {
			rt.Skip(err)
		}
		looser := *in.Policy
		looser.Tolerations = append(slices.Clone(looser.Tolerations), placement.Toleration{Key: d.one("k", ""), Operator: "Exists"})
		in.Policy = &looser
		after, err := Schedule(in)
		if err != nil {
			rt.Fatal(err)
		}
		for _, name := range before.Selected() {
			if !slices.Contains(after.Selected(), name) {
				rt.Fatalf("%s is lost", name)
			}
		}
	})
}

// TestBounds checks counts, and that no cluster has more than one decision. With PickAll, every cluster has one.
func TestBounds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		in := draw{rt}.input(false)
		out, err := Schedule(in)
		if err != nil {
			rt.Fatal(err)
		}
		if len(out.Selected()) != out.Found || out.Found > len(in.Clusters) {
			rt.Fatalf("%d are selected, %d found among %d", len(out.Selected()), out.Found, len(in.Clusters))
		}
		if in.Policy.PlacementType == placement.PickN && out.Found > out.Wanted {
			rt.Fatalf("%d found, %d wanted", out.Found, out.Wanted)
		}
		reasons := map[string]int{}
		for _, d := range out.Decisions {
			reasons[d.Cluster]++
			if d.Reason == "" || reasons[d.Cluster] > 1 {
				rt.Fatalf("%s has %d decisions, the last is %q", d.Cluster, reasons[d.Cluster], d.Reason)
			}
		}
		if in.Policy.PlacementType == placement.PickAll && len(reasons) != len(in.Clusters) {
			rt.Fatalf("there are decisions about %v", slices.Sorted(maps.Keys(reasons)))
		}
	})
}

// TestNoPickViolates checks the skew after each run that adds a placement to a domain.
func TestNoPickViolates(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := draw{rt}
		in := d.input(false)
		in.Policy = pick(int32(d.upTo(9)), spreadBy("r", int32(1+d.upTo(1)), "DoNotSchedule"), dns("z"))
		out, err := Schedule(in)
		if err != nil {
			rt.Fatal(err)
		}
		for _, c := range in.Policy.TopologySpreadConstraints {
			counts, added := map[string]int{}, false
			for _, cluster := range in.Clusters {
				if domain, found := cluster.Labels[c.TopologyKey]; found {
					counts[domain] += 0
				}
			}
			for _, b := range out.Bindings {
				i := slices.IndexFunc(in.Clusters, func(c Cluster) bool { return c.Name == b.Cluster })
				if i < 0 || b.Action == Release || b.State == Unscheduled || b.Obsolete {
					continue
				}
				if domain, found := in.Clusters[i].Labels[c.TopologyKey]; found {
					counts[domain]++
					added = added || b.Action != Keep
				}
			}
			if !added {
				continue
			}
			sorted := slices.Sorted(maps.Values(counts))
			if skew := sorted[len(sorted)-1] - sorted[0]; skew > int(*c.MaxSkew) {
				rt.Fatalf("the skew of %s is %d: %v", c.TopologyKey, skew, counts)
			}
		}
	})
}
