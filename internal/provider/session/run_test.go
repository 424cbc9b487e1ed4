package session

import (
	"errors"
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
	ends := func(end func(*diag.Diagnostics), want string) {
		t.Helper()
		var diags diag.Diagnostics
		if end(&diags); want == "" && len(diags) > 0 || want != "" && (len(diags) != 1 || diags[0].Summary() != want) {
			t.Errorf("%v instead of %q", diags, want)
		}
	}
	a, b := s.BeginPlan("a"), s.BeginPlan("b")
	s.PlansChange("a", total("a", "member-1", takeover.ActionCreate, takeover.ActionCreate))
	ends(a, "")
	s.PlansChange("b", total("b", "member-2", takeover.ActionCreate))
	ends(b, "") // creations alone

	c := s.BeginPlan("c")
	s.PlansRemoval("c", total("c", "member-1", takeover.ActionPrune))
	s.PlansChange("c", total("c", "member-1", takeover.ActionCreate))
	ends(c, "") // one deletion, which has a warning of its own
	d, unchanged := s.BeginPlan("d"), s.BeginPlan("unchanged")
	s.PlansChange("d", total("d", "member-2", takeover.ActionPrune))
	ends(d, "")
	const sum = "4 placements: 4 create, 2 DELETE, on member-1 and member-2"
	ends(unchanged, sum)

	// Terraform plans what it replaces a second time, and shows no warning of that plan.
	again := s.BeginPlan("c")
	ends(again, "")
	ends(s.BeginPlan("also unchanged"), "") // the same sum
	one := &Session{}
	end := one.BeginPlan("c")
	one.PlansRemoval("c", total("c", "member-1", takeover.ActionPrune))
	ends(end, "")
	ends((*Session)(nil).BeginPlan("c"), "")
}

// TestUnchecked checks that the plan which ends last warns of a dead cluster for all placements that do not change, once.
func TestUnchecked(t *testing.T) {
	t.Parallel()
	s := &Session{}
	dead := &engine.Preview{Placement: "a", Clusters: []engine.ClusterPreview{{Name: "member-1", Picked: true, Err: errors.New("connection refused")}}}
	ends := []func(*diag.Diagnostics){s.BeginPlan("a"), s.BeginPlan("b"), s.BeginPlan("unchanged")}
	for _, name := range []string{"a", "b"} {
		s.PlansUnchecked(name, report.Standing(nil, dead, report.Plan{}))
	}
	s.PlansUnchecked("unchanged", report.Unchecked{})
	var diags diag.Diagnostics
	for _, end := range append(ends, s.BeginPlan("later")) {
		end(&diags)
	}
	if len(diags) != 1 || diags[0].Summary() != "2 placements: 1 cluster could not be checked" {
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
