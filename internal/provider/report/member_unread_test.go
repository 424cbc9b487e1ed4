package report

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/plain"
)

// unreached is a failed operation, whose text says more than the cause.
type unreached struct{ op string }

func (e unreached) Error() string { return "cannot " + e.op + ": " + e.Cause() }
func (unreached) Cause() string   { return "connection refused" }

// TestCauseOnce checks that a run shows the error of a cluster once, whatever failed because of it, and refers to it otherwise.
func TestCauseOnce(t *testing.T) {
	t.Parallel()
	dead := func(name string, err error) engine.ClusterPreview {
		return engine.ClusterPreview{Name: name, Picked: true, Err: err, CheckMethod: engine.CheckOffline}
	}
	updated, third := on("member-1", does(takeover.ActionUpdate, deployment)...), dead("member-3", unreached{"identify it"})
	lost := resulting([]placement.ClusterOutcome{{Name: "member-3", Scheduled: true, ResourceIndex: "1", Unreachable: "connection refused"}})
	plan := func(first func(string) bool) Plan {
		return Plan{Strategy: strategy(placement.TakeOverAlways), First: first}
	}
	for name, c := range map[string]struct {
		report func(*diag.Diagnostics, func(string) bool)
		shown  bool
	}{
		"another placement":           {func(d *diag.Diagnostics, first func(string) bool) { Preview(d, of(updated, third), plan(first)) }, false},
		"removal":                     {func(d *diag.Diagnostics, first func(string) bool) { Removal(d, of(third), plan(first)) }, false},
		"placements without a change": {func(d *diag.Diagnostics, first func(string) bool) { pending(d, of(third), plan(first)) }, false},
		"member":                      {func(d *diag.Diagnostics, first func(string) bool) { MemberUnread(d, "member-3", third.Err, first) }, false},
		"another cluster": {func(d *diag.Diagnostics, first func(string) bool) {
			Preview(d, of(dead("member-2", unreached{"identify it"})), plan(first))
		}, true},
		"another error": {func(d *diag.Diagnostics, first func(string) bool) {
			Preview(d, of(dead("member-3", errors.New("connection refused"))), plan(first))
		}, true},
	} {
		reported := map[string]bool{}
		first := func(text string) bool {
			defer func() { reported[text] = true }()
			return !reported[text]
		}
		var diags, again diag.Diagnostics
		MemberUnread(&diags, "member-3", unreached{"read the record"}, first)
		if !strings.Contains(diags[0].Detail(), "connection refused") {
			t.Errorf("%s: the first warning lacks the error: %v", name, diags)
		}
		c.report(&again, first)
		if text := again[0].Detail(); strings.Contains(text, "connection refused") != c.shown || strings.Contains(text, plain.SameError) == c.shown {
			t.Errorf("%s: %s", name, text)
		}
	}
	var reported []string
	first := func(text string) bool {
		reported = append(reported, text)
		return len(reported) == 1
	}
	for i := range 2 {
		var diags diag.Diagnostics
		Outcome(&diags, fmt.Sprint(i), lost, nil, Asked{First: first})
		if text := diags[0].Detail(); strings.Contains(text, "connection refused") != (i == 0) || strings.Contains(text, plain.SameError) != (i == 1) {
			t.Errorf("the outcome %d is %s", i, text)
		}
	}
}

// pending warns of one placement that does not change.
func pending(diags *diag.Diagnostics, preview *engine.Preview, plan Plan) {
	NotChecked(diags, map[string]Unchecked{preview.Placement: Pending(diags, preview, plan)}, plan.First)
}
