package report

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// unfinishedCases have an earlier apply to complete. Only the case "unfinished-written" also has an object to write.
func unfinishedCases() map[string]testCase {
	failed := func(conditionType, reason, message string) placement.FailedPlacement {
		return placement.FailedPlacement{Identifier: deployment, Condition: placement.Condition{
			Type: conditionType, Status: placement.False, Reason: reason, Message: message,
		}}
	}
	waiting := failed(placement.Available, "ManifestNotAvailableYet", "Manifest is not yet available")
	clusters := picked("member-1", "member-2", "member-3", "member-4")
	clusters[1].Waiting = []placement.FailedPlacement{waiting}
	clusters[2].Failed = []placement.FailedPlacement{failed(placement.Applied, takeover.ReasonManifestApplyFailed, "quota exceeded")}
	clusters[3].Held = placement.NotStarted("max_unavailable 25% (1 of 4 clusters) is used up: member-2 is not available")
	clusters[3].Waiting = []placement.FailedPlacement{waiting}
	for i := range clusters {
		clusters[i].Objects = 1
	}
	status := placement.NewStatus("", nil, clusters, true, "1", 1)
	same := does(takeover.ActionNone, deployment)
	all := of(on("member-1", same...), on("member-2", same...), on("member-3", same...), on("member-4", same...))
	return map[string]testCase{
		"unfinished":              {preview: all, strategy: strategy(placement.TakeOverAlways), unfinished: NewUnfinished(status, true, false)},
		"unfinished-silent":       {preview: all, strategy: strategy(placement.TakeOverAlways), unfinished: NewUnfinished(silent(members(2)...).Status, true, false)},
		"unfinished-not-observed": {preview: all, strategy: strategy(placement.TakeOverAlways), unfinished: NewUnfinished(unobserved(members(2)...).Status, true, false)},
		"unfinished-written": {
			preview:  of(on("member-1", does(takeover.ActionUpdate, deployment)...)),
			strategy: strategy(placement.TakeOverAlways), unfinished: NewUnfinished(status, true, false),
		},
		"unfinished-nowhere": {
			preview:  of(notPicked("member-1", "ClusterUnschedulable, cluster is not eligible: it has been marked for removal")),
			strategy: strategy(placement.TakeOverAlways), unfinished: NewUnfinished(placement.NewStatus("", nil, nil, true, "1", 1), true, true),
		},
	}
}

// A change that the hub had not observed is complete as soon as a preview shows that the hub has observed it.
func TestUnfinishedSince(t *testing.T) {
	for _, unobserved := range []bool{true, false} {
		if got := NewUnfinished(placement.Status{NotObserved: true}, true, false).Since(&engine.Preview{Hub: &engine.HubPreview{NotObserved: unobserved}}).Any(); got != unobserved {
			t.Errorf("not observed %t: unfinished is %t", unobserved, got)
		}
	}
}

// An apply cannot complete a workload that lacks an object, and every plan names the object.
func TestUnfinishedLacksObject(t *testing.T) {
	status := placement.NewStatus("", nil, []placement.ClusterOutcome{{Name: "member-1", Scheduled: true, Waiting: []placement.FailedPlacement{
		{Identifier: deployment, Condition: placement.Condition{Type: placement.Available, Status: placement.False}},
	}}}, true, "1", 1)
	preview := of(on("member-1", does(takeover.ActionNone, deployment)...))
	if !NewUnfinished(status, true, false).Since(preview).Any() {
		t.Error("a workload that is not available is complete")
	}
	lack(preview.Clusters[0].Objects, secretNamed("db"))
	left := NewUnfinished(status, true, false).Since(preview)
	if left.Any() {
		t.Errorf("left to do: %s", left)
	}
	var diags diag.Diagnostics
	Pending(&diags, preview, Plan{Unfinished: left})
	golden(t, "missing-still", diags[0].Summary()+"\n\n"+diags[0].Detail()+"\n")
}

// A plan that has checked no cluster also says why it updates.
func TestUnfinishedWithoutPreview(t *testing.T) {
	if text := NewUnfinished(placement.Status{}, true, false).String(); text != "" {
		t.Errorf("%q", text)
	}
	want := "The last apply is not complete. This apply continues it:\n  The placement is on no cluster.\n\n"
	if text := NewUnfinished(placement.Status{}, true, true).String(); text != want {
		t.Errorf("%q", text)
	}
}

// Objects that the strategy leaves unchanged do not count as incomplete, and neither do objects for which the apply does not wait.
func TestUnfinished(t *testing.T) {
	one := func(conditionType, reason string) placement.Status {
		condition := placement.Condition{Type: conditionType, Status: placement.False, Reason: reason}
		return placement.Status{Clusters: map[string]placement.ClusterStatus{
			"member-1": {FailedPlacements: []placement.FailedPlacement{{Identifier: deployment, Condition: condition}}},
		}}
	}
	for name, c := range map[string]struct {
		status placement.Status
		waits  bool
		want   bool
	}{
		"failed":            {one(placement.Applied, takeover.ReasonManifestApplyFailed), false, true},
		"left alone":        {one(placement.Applied, takeover.ReasonNotTakenOver), true, false},
		"drifted":           {one(placement.Applied, takeover.ReasonFoundDrifts), true, false},
		"not available":     {one(placement.Available, "ManifestNotAvailableYet"), true, true},
		"not to be awaited": {one(placement.Available, "ManifestNotAvailableYet"), false, false},
		"nothing to report": {placement.Status{}, true, false},
	} {
		if got := NewUnfinished(c.status, c.waits, false).Any(); got != c.want {
			t.Errorf("%s: unfinished is %t", name, got)
		}
	}
}

// TestUnfinishedReportsProblemOnce checks that a warning says only once why nothing can be placed on a cluster, and not again for the last apply.
func TestUnfinishedReportsProblemOnce(t *testing.T) {
	const problem = "ResourceOverride web/canary failed to apply"
	clusters := picked("member-1", "member-2")
	for i := range clusters {
		clusters[i].OverrideFailed = problem
	}
	preview := of(on("member-1"), on("member-2", does(takeover.ActionNone, deployment)...))
	preview.Clusters[0].Problem = problem
	var diags diag.Diagnostics
	Preview(&diags, preview, Plan{
		Strategy: strategy(placement.TakeOverAlways), Unfinished: NewUnfinished(placement.NewStatus("", nil, clusters, true, "1", 1), true, false), Shown: true,
	})
	golden(t, "unfinished-problem", diags[0].Summary()+"\n\n"+diags[0].Detail()+"\n")
}
