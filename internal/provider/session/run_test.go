package session

import (
	"errors"
	"runtime"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
)

// total is what a placement changes on a cluster: an object each with the actions.
func total(placement, cluster string, actions ...takeover.Action) report.Total {
	on := engine.ClusterPreview{Name: cluster, Picked: true}
	for _, action := range actions {
		on.Objects = append(on.Objects, engine.ObjectPreview{Identifier: manifest.Identifier{Version: "v1", Kind: "ConfigMap", Name: string(action)}, Action: action})
	}
	return report.NewTotal(&engine.Preview{
		Placement: placement, Fulfilled: true, Selected: []manifest.Identifier{{}}, Clusters: []engine.ClusterPreview{on},
	}, report.Plan{})
}

// TestSum checks that the plan which ends last sums up those of the run, once, and that there is no sum unless a person has to
// weigh two placements.
func TestSum(t *testing.T) {
	t.Parallel()
	s := &Session{}
	ends := func(end func(*diag.Diagnostics), want string) (detail string) {
		t.Helper()
		var diags diag.Diagnostics
		if end(&diags); want == "" && len(diags) > 0 || want != "" && (len(diags) != 1 || diags[0].Summary() != want) {
			t.Errorf("%v instead of %q", diags, want)
		}
		for _, d := range diags {
			detail = d.Detail()
		}
		return detail
	}
	a, b := s.BeginPlan("a", "a"), s.BeginPlan("b", "b")
	s.PlansChange("a", total("a", "member-1", takeover.ActionCreate, takeover.ActionCreate))
	ends(a, "")
	s.PlansChange("b", total("b", "member-2", takeover.ActionCreate))
	ends(b, "") // creations alone

	c := s.BeginPlan("c", "c")
	s.PlansRemoval("c", total("c", "member-1", takeover.ActionPrune))
	s.PlansChange("c", total("c", "member-1", takeover.ActionCreate))
	ends(c, "") // one deletion, which has a warning of its own
	d, unchanged := s.BeginPlan("d", "d"), s.BeginPlan("unchanged", "unchanged")
	s.PlansChange("d", total("d", "member-2", takeover.ActionPrune))
	ends(d, "")
	const sum = "Run so far (4 placements): 4 create, 2 DELETE, on member-1 and member-2"
	detail := ends(unchanged, sum)
	if want := "Placements: a, b, c and d. The warning is about all of them: Terraform shows it at the placement that was planned last."; detail != want {
		t.Errorf("%q instead of %q", detail, want)
	}

	// Terraform plans what it replaces a second time, and shows no warning of that plan.
	again := s.BeginPlan("c", "c")
	ends(again, "")
	ends(s.BeginPlan("also unchanged", "also unchanged"), "") // the same sum
	one := &Session{}
	end := one.BeginPlan("c", "c")
	one.PlansRemoval("c", total("c", "member-1", takeover.ActionPrune))
	ends(end, "")
	ends((*Session)(nil).BeginPlan("c", "c"), "")
}

// TestSumWaitsForRefreshed checks that a plan which ends while other placements are refreshed leaves the sum to the plans of these, and that it has the sum if they
// are not planned.
func TestSumWaitsForRefreshed(t *testing.T) {
	t.Parallel()
	for name, planned := range map[string]bool{"planned": true, "not planned": false, "removed": false} {
		s := &Session{}
		for _, of := range []string{"a", "c"} {
			end := s.BeginPlan(of, of)
			s.PlansChange(of, total(of, "member-1", takeover.ActionPrune))
			if of == "a" {
				end(&diag.Diagnostics{})
				continue
			}
			read := s.BeginRead("b")
			var first, second diag.Diagnostics
			ended := make(chan bool)
			go func() {
				end(&first)
				close(ended)
			}()
			for isPlanning := true; isPlanning; runtime.Gosched() {
				s.mu.Lock()
				isPlanning = s.run.planning > 0
				s.mu.Unlock()
			}
			read(name != "removed")
			if planned {
				end := s.BeginPlan("renamed", "b")
				<-ended
				s.PlansChange("renamed", total("renamed", "member-1", takeover.ActionPrune))
				end(&second)
			}
			<-ended
			if planned != (len(first) == 0) || planned != (len(second) == 1) {
				t.Errorf("%s: %v, then %v", name, first, second)
			}
		}
	}
}

// TestUnchecked checks that the plan which ends last warns of a dead cluster for all placements that do not change, once for each placement.
func TestUnchecked(t *testing.T) {
	t.Parallel()
	s := &Session{}
	dead := &engine.Preview{Placement: "a", Clusters: []engine.ClusterPreview{{Name: "member-1", Picked: true, Err: errors.New("connection refused")}}}
	ends := []func(*diag.Diagnostics){s.BeginPlan("a", "a"), s.BeginPlan("b", "b"), s.BeginPlan("unchanged", "unchanged")}
	for _, name := range []string{"a", "b"} {
		s.PlansUnchecked(name, report.Standing(nil, dead, report.Plan{}))
	}
	s.PlansUnchecked("unchanged", report.Unchecked{})
	var diags diag.Diagnostics
	for _, end := range append(ends, s.BeginPlan("later", "later")) {
		end(&diags)
	}
	if len(diags) != 1 || diags[0].Summary() != "2 placements: 1 cluster could not be checked" {
		t.Errorf("%v", diags)
	}
	// A placement that is planned after the warning has another one.
	end := s.BeginPlan("c", "c")
	s.PlansUnchecked("c", report.Standing(nil, dead, report.Plan{}))
	if end(&diags); len(diags) != 2 || diags[1].Summary() != `Placement "c": 1 cluster could not be checked` {
		t.Errorf("%v", diags)
	}
}

// TestFirst checks that advice is told once, and always where nothing is printed.
func TestFirst(t *testing.T) {
	t.Parallel()
	s := &Session{}
	for i, want := range []bool{true, false} {
		if got := s.First("advice"); got != want {
			t.Errorf("%d: %v", i, got)
		}
	}
	if !s.First("other advice") {
		t.Error("other advice is not told")
	}
	applying := &Session{Applying: true}
	for range 2 {
		if !applying.First("advice") {
			t.Error("an error of an apply lacks its advice")
		}
	}
}
