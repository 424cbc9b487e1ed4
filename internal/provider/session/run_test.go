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

// total returns the changes of a placement on a cluster: one object for each action.
func total(placement, cluster string, actions ...takeover.Action) report.Total {
	on := engine.ClusterPreview{Name: cluster, Picked: true}
	for _, action := range actions {
		on.Objects = append(on.Objects, engine.ObjectPreview{Identifier: manifest.Identifier{Version: "v1", Kind: "ConfigMap", Name: string(action)}, Action: action})
	}
	return report.NewTotal(&engine.Preview{
		Placement: placement, Fulfilled: true, Selected: []manifest.Identifier{{}}, Clusters: []engine.ClusterPreview{on},
	}, report.Plan{})
}

// TestSum checks that the plan that ends last reports the sum of the run once, and that there is a sum only for two or more placements with changes to review.
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
	ends(b, "") // only creations

	c := s.BeginPlan("c", "c")
	s.PlansRemoval("c", total("c", "member-1", takeover.ActionPrune))
	s.PlansChange("c", total("c", "member-1", takeover.ActionCreate))
	ends(c, "") // one deletion, which has its own warning
	d, unchanged := s.BeginPlan("d", "d"), s.BeginPlan("unchanged", "unchanged")
	s.PlansChange("d", total("d", "member-2", takeover.ActionPrune))
	ends(d, "")
	const sum = "Run so far (4 placements): 4 create, 2 DELETE, on member-1 and member-2"
	detail := ends(unchanged, sum)
	if want := "Placements: a, b, c and d. This warning covers all of them; Terraform shows it at the placement that was planned last."; detail != want {
		t.Errorf("%q instead of %q", detail, want)
	}

	// Terraform plans a replaced resource a second time, and shows no warnings of that plan.
	again := s.BeginPlan("c", "c")
	ends(again, "")
	ends(s.BeginPlan("also unchanged", "also unchanged"), "") // the same sum
	one := &Session{}
	end := one.BeginPlan("c", "c")
	one.PlansRemoval("c", total("c", "member-1", takeover.ActionPrune))
	ends(end, "")
	ends((*Session)(nil).BeginPlan("c", "c"), "")
}

// TestSumWaitsForRefreshed checks that a plan that ends while other placements are refreshed leaves the sum to their plans, and that it reports the sum itself
// if these placements are not planned.
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

// TestUnchecked checks that the plan that ends last warns about an unreachable cluster for all unchanged placements, once for each placement.
func TestUnchecked(t *testing.T) {
	t.Parallel()
	s := &Session{}
	dead := &engine.Preview{Placement: "a", Clusters: []engine.ClusterPreview{{Name: "member-1", Picked: true, Err: errors.New("connection refused")}}}
	ends := []func(*diag.Diagnostics){s.BeginPlan("a", "a"), s.BeginPlan("b", "b"), s.BeginPlan("unchanged", "unchanged")}
	for _, name := range []string{"a", "b"} {
		s.PlansUnchecked(name, report.Pending(nil, dead, report.Plan{}))
	}
	s.PlansUnchecked("unchanged", report.Unchecked{})
	var diags diag.Diagnostics
	for _, end := range append(ends, s.BeginPlan("later", "later")) {
		end(&diags)
	}
	if len(diags) != 1 || diags[0].Summary() != "2 placements: 1 cluster could not be checked" {
		t.Errorf("%v", diags)
	}
	// A placement that is planned after the warning gets its own.
	end := s.BeginPlan("c", "c")
	s.PlansUnchecked("c", report.Pending(nil, dead, report.Plan{}))
	if end(&diags); len(diags) != 2 || diags[1].Summary() != `Placement "c": 1 cluster could not be checked` {
		t.Errorf("%v", diags)
	}
}

// TestFirst checks that a text is shown only once in a plan, and always while a plan is applied.
func TestFirst(t *testing.T) {
	t.Parallel()
	s := &Session{}
	for i, want := range []bool{true, false} {
		if got := s.First("advice"); got != want {
			t.Errorf("%d: %v", i, got)
		}
	}
	if !s.First("other advice") {
		t.Error("another text is not shown")
	}
	applying := &Session{Applying: true}
	for range 2 {
		if !applying.First("advice") {
			t.Error("an error of an apply lacks its text")
		}
	}
}
