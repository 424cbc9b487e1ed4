package schedule

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/kubefleetapi"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// TestRefinements covers details of KubeFleet's scheduler that are easy to miss, by number.
func TestRefinements(t *testing.T) {
	sortX := func(weight int32, order string) option { return preferred(weight, sorted("x", order)) }
	gpu := required(propertyTerm("resources.kubernetes-fleet.io/total-nvidia.com/gpu", "Ge", "1"))
	runExamples(t, map[string]example{
		"F1 pick all":             {"c1!leaving c2", "c1 Bound, gone Scheduled", all(), "-c1 | -gone | +c2 0/0 | no c1: cluster has left the fleet | True 1"},
		"F1 pick fixed":           {"c1!leaving c2", "c1 Bound, gone Scheduled", fixed("c2"), "-c1 | -gone | +c2 | True 1"},
		"F1 unhealthy":            {"c1!bad", "c1 Bound", all(), "c1 Bound | True 1"},
		"F2":                      {"c1 c2", "c1 Bound obsolete, c2 Bound deleting, gone Bound", fixed(), "c1 Bound | xc2 | -gone | unreported"},
		"F3":                      {"e1(x=v1)", "e2 Bound deleting, gone Bound", pick(1, sortX(1, "Ascending")), "xe2 | -gone | error"},
		"F3 earlier picks":        {"e0{r:e}(x=6) e1{r:e}(x=5) w1{r:w}", "e0 Bound", pick(3, dns("r"), sortX(1, "Sideways")), "e0 Bound | +w1 0/1 | error"},
		"F4 infinite":             {"c1(x=1e999) c2(x=1)", "", pick(1, sortX(1, "Ascending")), "error"},
		"F4 weight 0":             {"c1(x=1e999) c2(x=1)", "", pick(1, sortX(0, "Ascending")), "+c2 0/0 | lost c1 0/0 | True 1"},
		"F4 no cluster is scored": {"c1(x=1e999)!leaving c2", "", pick(1, sortX(1, "Ascending")), "+c2 0/0 | no c1: cluster has left the fleet | True 1"},
		"F4 unparsable":           {"c1(x=abc)!leaving", "", pick(1, sortX(0, "Ascending")), "error"},
		"F5 halves":               {"a(x=0) b(x=5) c(x=6)", "", pick(1, sortX(9, "Ascending")), "+a 9/0 | lost b 1/0 | lost c 0/0 | True 1"},
		"F5 equal as floats":      {"a(x=9007199254740992) b(x=9007199254740993)", "", pick(1, sortX(9, "Descending")), "+b 0/0 | lost a 0/0 | True 1"},
		"F6":                      {"a b", "", pick(1, gpu), "no a: affinity | no b: affinity | False 0"},
		"F7 leaving":              {"a{r:e} b{r:w} c{r:n}!leaving d{r:e}", "", pick(3, dns("r")), `+d 0/-1 | +b 0/0 | no a: spread "r" (max skew 1) | no c: cluster has left the fleet | False 2`},
		"F7 empty value":          {"a{r:} b{r:x}", "", pick(2, dns("r")), "+b 0/-1 | +a 0/1 | True 2"},
		"F7 key is nowhere":       {"a b", "", pick(1, dns("r")), "+b 0/0 | lost a 0/0 | True 1"},
		"F7 key twice":            {"a{r:x} b{r:y}", "", pick(2, dns("r"), dns("r")), "+b 0/-2 | +a 0/2 | True 2"},
		"F8":                      {"a{r:x} b{r:y} c{r:z}", "c Bound obsolete, c Unscheduled was:Scheduled", pick(3, dns("r")), "~c Bound | ^c Scheduled | lost b 0/-1 | lost a 0/-1 | False 2"},
		"F9":                      {"c1", "c1 Bound deleting", pick(1), "xc1 | +c1 0/0 | True 1"},
		"F10":                     {rz, "d Bound", pick(2, dns("r"), dns("z")), `d Bound | +a 0/2 | no b: spread "z" (max skew 1) | no c: spread "r" (max skew 1) | True 2`},
		"F12":                     {"c1", "", fixed("c1", "c1"), "+c1 | +c1 | True 2"},
	})
}

// TestDifferences covers the rows of the package documentation in which the result differs from KubeFleet's.
func TestDifferences(t *testing.T) {
	noSkew := pick(3, dns("r"))
	noSkew.TopologySpreadConstraints[0].MaxSkew = nil
	runExamples(t, map[string]example{
		"exponent":             {"c1(x=1e99999)", "", all(required(propertyTerm("x", "Ge", "1"))), "error"},
		"unknown type":         {"c1", "", &placement.Policy{PlacementType: "PickSome"}, "error"},
		"no maxSkew":           {"a{r:x} b{r:x} c{r:y}", "a Bound", noSkew, `a Bound | +c 0/1 | +b 0/-1 | True 3`},
		"no maxSkew, violated": {"a{r:x} b{r:x} c{r:y}!bad", "a Bound", noSkew, `a Bound | no b: spread "r" (max skew 1) | no c: heartbeat | False 1`},
		"listed twice":         {"c1", "c1 Bound obsolete", fixed("c1", "c1"), "~c1 Bound | True 2"},
	})
	// Names with dots are allowed. The 1,000 decisions are all about picked clusters, and none are left for the others.
	in := Input{Policy: pick(1100), Placement: "my.web", Limits: KubeFleetLimits()}
	for i := range 1200 {
		in.Clusters = append(in.Clusters, Cluster{Name: fmt.Sprint("c.", i)})
	}
	out, err := Schedule(in)
	if err != nil || len(out.Decisions) != 1000 || len(out.Selected()) != 1000 || out.Found != 1100 || len(out.Bindings) != 1100 {
		t.Errorf("%d decisions, %d of them selected, %d found, error %v; want 1000, 1000 and 1100", len(out.Decisions), len(out.Selected()), out.Found, err)
	}
}

// TestLimits covers F11: a cluster that has the placement and no longer passes the filters counts as one of the unselected clusters.
func TestLimits(t *testing.T) {
	in := Input{Policy: all(required(label("a:b"))), Clusters: fleetOf(t, "c1 c2 c3"), Bindings: bindingsOf(t, "c1 Bound"), Now: now}
	for limit, want := range map[int]string{0: "c1 Bound | True 1", 1: "c1 Bound | True 1", 2: "c1 Bound | no c2: affinity | True 1"} {
		in.Limits = &Limits{Decisions: 1000, Unselected: limit}
		if diff := cmp.Diff(want, render(Schedule(in))); diff != "" {
			t.Errorf("limit %d: -want +got:\n%s", limit, diff)
		}
	}
	in = Input{Policy: pick(30), Limits: KubeFleetLimits()}
	for i := range 60 {
		in.Clusters = append(in.Clusters, Cluster{Name: fmt.Sprint("c", i)})
	}
	out, err := Schedule(in)
	if err != nil || len(out.Decisions) != 50 || len(out.Selected()) != 30 {
		t.Errorf("%d decisions, %d of them selected, error %v; want 50 and 30", len(out.Decisions), len(out.Selected()), err)
	}
	in.Limits = &Limits{Decisions: 10, Unselected: 20}
	if out, err = Schedule(in); err != nil || len(out.Decisions) != 10 || out.Found != 30 {
		t.Errorf("%d decisions, %d found, error %v; want 10 and 30", len(out.Decisions), out.Found, err)
	}
}

// TestReasons checks the texts in full.
func TestReasons(t *testing.T) {
	in := Input{Policy: pick(1, required(label("env:prod")), dns("r")), Now: now,
		Clusters: fleetOf(t, "a{env:prod,r:e} b{env:prod,r:w} c d{env:prod}[k=v] e{env:prod}!bad f{env:prod,r:n}!leaving g{env:prod,r:e}")}
	in.Clusters = append(in.Clusters, Cluster{Name: "h", Labels: map[string]string{"env": "prod"}, Ineligible: "the way is blocked"})
	out, err := Schedule(in)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, d := range out.Decisions {
		got[d.Cluster] = d.Reason
		if isTied := strings.HasSuffix(d.Cause, tiedCause); isTied != (d.Cluster == "a" || d.Cluster == "b") {
			t.Errorf("%s: the cause is %q", d.Cluster, d.Cause)
		}
	}
	want := map[string]string{
		"a": `Cluster "a" does not score high enough (affinity score: 0, topology spread score: -1)`,
		"b": `Cluster "b" does not score high enough (affinity score: 0, topology spread score: -1)`,
		"c": "ClusterUnschedulable, cluster does not match with any of the required cluster affinity terms",
		"d": "ClusterUnschedulable, taint &{Key:k Value:v Effect:NoSchedule} cannot be tolerated",
		"e": "ClusterUnschedulable, cluster is not connected to the fleet: no recent heartbeat signals (last received 10.00 minutes ago)",
		"f": "ClusterUnschedulable, cluster has left the fleet",
		"g": `Successfully scheduled resources for placement in "g" (affinity score: 0, topology spread score: -1): picked by scheduling policy`,
		"h": "ClusterUnschedulable, the way is blocked",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if out.Reason != "SchedulingPolicyFulfilled" || out.Message != "found all cluster needed as specified by the scheduling policy, found 1 cluster(s)" {
		t.Errorf("condition: %s, %s", out.Reason, out.Message)
	}
	in.Policy = pick(9, dns("r"))
	if out, err = Schedule(in); err != nil {
		t.Fatal(err)
	}
	if out.Reason != "SchedulingPolicyUnfulfilled" || out.Message !=
		fmt.Sprintf("could not find all clusters needed as specified by the scheduling policy, found %d cluster(s) instead", out.Found) {
		t.Errorf("condition: %s, %s", out.Reason, out.Message)
	}
	want = map[string]string{"a": `ClusterUnschedulable, violated doNotSchedule topology spread constraint "r" (max skew 1)`}
	for _, d := range out.Decisions {
		if expected, found := want[d.Cluster]; found && d.Reason != expected {
			t.Errorf("%s: %s, want %s", d.Cluster, d.Reason, expected)
		}
	}
}

// TestEligibility covers the conditions of eligibility and their limits: exactly five minutes is still in time.
func TestEligibility(t *testing.T) {
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	yes := &Condition{Status: "True"}
	const lost = "cluster is not connected to the fleet: "
	tests := map[string]struct {
		cluster Cluster
		want    string
	}{
		"nothing is known":         {Cluster{}, ""},
		"leaving":                  {Cluster{Leaving: true, Ineligible: "x", Agent: &Agent{Offline: true}}, "cluster has left the fleet"},
		"text of the caller":       {Cluster{Ineligible: "x", Agent: &Agent{Offline: true}}, "x"},
		"offline":                  {Cluster{Agent: &Agent{Offline: true, Joined: yes, Healthy: yes}}, lost + "member agent not online yet"},
		"heartbeat just in time":   {Cluster{Agent: &Agent{LastReceivedHeartbeat: ago(5 * time.Minute), Joined: yes, Healthy: yes}}, ""},
		"heartbeat too old":        {Cluster{Agent: &Agent{LastReceivedHeartbeat: ago(301 * time.Second)}}, lost + "no recent heartbeat signals (last received 5.02 minutes ago)"},
		"not joined":               {Cluster{Agent: &Agent{LastReceivedHeartbeat: now, Healthy: yes}}, lost + "member agent not joined yet"},
		"joined is false":          {Cluster{Agent: &Agent{LastReceivedHeartbeat: now, Joined: &Condition{Status: "Unknown"}}}, lost + "member agent not joined yet"},
		"no health":                {Cluster{Agent: &Agent{LastReceivedHeartbeat: now, Joined: yes}}, lost + "health condition from member agent is not available"},
		"unhealthy for a moment":   {Cluster{Agent: &Agent{LastReceivedHeartbeat: now, Joined: yes, Healthy: &Condition{Status: "False", LastTransitionTime: ago(5 * time.Minute)}}}, ""},
		"unhealthy for a while":    {Cluster{Agent: &Agent{LastReceivedHeartbeat: now, Joined: yes, Healthy: &Condition{Status: "Unknown", LastTransitionTime: ago(6 * time.Minute)}}}, lost + "unhealthy for a prolonged period of time (last transitioned 6.00 minutes ago)"},
		"healthy for a long while": {Cluster{Agent: &Agent{LastReceivedHeartbeat: now, Joined: yes, Healthy: &Condition{Status: "True", LastTransitionTime: ago(time.Hour)}}}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := ineligibleReason(&test.cluster, now); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestErrors checks that an error names the cluster and the part of the policy.
func TestErrors(t *testing.T) {
	badLabel := placement.ClusterSelectorTerm{LabelSelector: label("a b:c").LabelSelector}
	none := propertyTerm("x", "Ge", "1")
	none.PropertySelector.MatchExpressions[0].Values = nil
	tests := map[string]struct {
		policy *placement.Policy
		want   []string
	}{
		"label selector":           {all(required(label("no:match"), badLabel)), []string{`cluster "c1"`, "required cluster selector term 1", "label selector is not valid"}},
		"quantity of the policy":   {all(required(propertyTerm("x", "Ge", "many"))), []string{`cluster "c1"`, "term 0", `"many"`, "not a quantity"}},
		"quantity of the cluster":  {all(required(propertyTerm("bad", "Ge", "1"))), []string{`cluster "c1"`, "term 0", `"v1.30"`, "not a quantity"}},
		"operator":                 {all(required(propertyTerm("x", "Gte", "1"))), []string{"term 0", `"Gte"`}},
		"no value":                 {all(required(none)), []string{"term 0", "0 values"}},
		"kind of count":            {all(required(propertyTerm(kubefleetapi.ResourcePrefix+"free-cpu", "Ge", "1"))), []string{"term 0", `"free"`}},
		"preferred label selector": {pick(1, preferred(5, badLabel)), []string{`cluster "c1"`, "preferred cluster selector term 0"}},
		"sort order":               {pick(1, preferred(0, badLabel), preferred(5, sorted("y", "Sideways"))), []string{"preferred cluster selector term 1", `"Sideways"`}},
		"sorter":                   {pick(1, preferred(0, sorted("bad", "Ascending"))), []string{`cluster "c1"`, "preferred cluster selector term 0", `"v1.30"`}},
		"type":                     {&placement.Policy{PlacementType: "PickSome"}, []string{"placementType", "PickSome"}},
		"no number":                {&placement.Policy{PlacementType: placement.PickN}, []string{"numberOfClusters"}},
		"negative number":          {pick(-1), []string{"numberOfClusters", "-1"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Schedule(Input{Policy: test.policy, Clusters: fleetOf(t, "c1(x=1,y=1,bad=v1.30) c2(y=2)")})
			var failed *Error
			if !errors.As(err, &failed) {
				t.Fatalf("got %v, want an *Error", err)
			}
			for _, part := range test.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("the error does not contain %q: %v", part, err)
				}
			}
		})
	}
	for name, in := range map[string]Input{
		"twice":             {Clusters: fleetOf(t, "c1 c1")},
		"state":             {Bindings: []Binding{{Cluster: "c1", State: "Lost"}}},
		"previous state":    {Bindings: []Binding{{Cluster: "c1", State: Unscheduled, PreviousState: Unscheduled}}},
		"no previous state": {Clusters: fleetOf(t, "c1"), Bindings: []Binding{{Cluster: "c1", State: Unscheduled}}},
		"none, fixed":       {Policy: fixed("c1"), Clusters: fleetOf(t, "c1"), Bindings: []Binding{{Cluster: "c1", State: Unscheduled}}},
	} {
		if _, err := Schedule(in); err == nil || !strings.Contains(err.Error(), "c1") {
			t.Errorf("%s: got %v, want an error about c1", name, err)
		}
	}
}

// TestHiddenMistakes checks that a mistake is ignored in places that KubeFleet does not evaluate.
func TestHiddenMistakes(t *testing.T) {
	bad := propertyTerm("x", "Ge", "many")
	runExamples(t, map[string]example{
		"a term before it matches":   {"c1(x=1)", "", all(required(label(""), bad)), "+c1 0/0 | True 1"},
		"the property is missing":    {"c1", "", all(required(bad)), "no c1: affinity | True 0"},
		"there is no cluster":        {"", "", all(required(bad)), "True 0"},
		"nothing has to be picked":   {"c1(x=1)", "c1 Bound", pick(1, required(bad)), "c1 Bound | True 1"},
		"names are given":            {"c1", "", &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: []string{"c1"}}, "+c1 | True 1"},
		"prefers nothing of PickAll": {"c1(x=abc)", "", all(preferred(1, sorted("x", "Ascending"))), "+c1 0/0 | True 1"},
	})
}

// TestBareBindings checks that bindings of the current policy are kept even if their clusters are no longer eligible, and also if they have
// neither name nor score. If some must be removed, the smallest name is first.
func TestBareBindings(t *testing.T) {
	clusters := fleetOf(t, "c1 c2 c3")
	clusters[0].Ineligible = "it cannot be reached"
	held := func(names ...string) (out []Binding) {
		for _, name := range names {
			out = append(out, Binding{Cluster: name, State: Bound})
		}
		return out
	}
	out, err := Schedule(Input{Policy: pick(2), Clusters: clusters, Bindings: held("c1")})
	if diff := cmp.Diff("c1 Bound | +c3 0/0 | lost c2 0/0 | True 2", render(out, err)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"c3", "c1"}, out.Selected()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if want := `Successfully scheduled resources for placement in "c1": picked by scheduling policy`; out.Decisions[1].Reason != want {
		t.Errorf("got %q, want %q: the score is not known", out.Decisions[1].Reason, want)
	}
	out, err = Schedule(Input{Policy: all(), Clusters: clusters, Bindings: held("c1")})
	if diff := cmp.Diff("c1 Bound | +c2 0/0 | +c3 0/0 | True 3", render(out, err)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	out, err = Schedule(Input{Policy: pick(1), Clusters: clusters, Bindings: held("c1", "c2")})
	if diff := cmp.Diff("-c1 | c2 Bound | True 1", render(out, err)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
