package placement

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

var deployment = manifest.Identifier{Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "web", Name: "web"}

func failure(conditionType, reason string) []FailedPlacement {
	return []FailedPlacement{{Identifier: deployment, Condition: Condition{Type: conditionType, Status: False, Reason: reason, Message: "why"}}}
}

// Every phase that is documented is the one of some outcome, and no outcome has another.
func TestPhases(t *testing.T) {
	seen := map[Phase]bool{PhaseApplied: true} // for engines that do not look at availability
	for want, outcome := range map[Phase]ClusterOutcome{
		PhaseAvailable:         {Scheduled: true, Objects: 1},
		PhaseDiffReported:      {Scheduled: true, Reporting: true},
		PhaseUnreachable:       {Scheduled: true, Unreachable: "connection refused"},
		PhaseScheduleFailed:    {Reason: "cluster is not eligible"},
		PhaseRolloutNotStarted: {Scheduled: true, Held: NotStarted("member-1 is not ready")},
		PhaseOverriddenFailed:  {Scheduled: true, OverrideFailed: "no such field"},
		PhaseApplyPending:      {Scheduled: true, Objects: 2, Pending: 1},
		PhaseNotApplied:        {Scheduled: true, Objects: 2, Pending: 1, Failed: failure(Applied, "NotTakenOver")},
		PhaseNotAvailable:      {Scheduled: true, Objects: 1, Waiting: failure(Available, "NotAvailableYet")},
		PhaseDiffNotReported:   {Scheduled: true, Reporting: true, Objects: 1, Failed: failure(DiffReported, "FailedToReportDiff")},
	} {
		seen[want] = true
		status := NewClusterStatus(outcome, 1)
		if got := status.Phase(); got != want {
			t.Errorf("%s instead of %s", got, want)
		}
		if status.Pending() != (want == PhaseApplyPending) {
			t.Errorf("%s: pending: %v", want, status.Pending())
		}
	}
	if got := (ClusterStatus{Conditions: []Condition{{Type: Applied, Status: True}}}).Phase(); got != PhaseApplied {
		t.Errorf("%s instead of %s", got, PhaseApplied)
	}
	for _, phase := range Phase("").Values() {
		if !seen[Phase(phase)] {
			t.Errorf("no outcome has the phase %s", phase)
		}
	}
}

func TestSummarize(t *testing.T) {
	status := NewStatus(nil, []ClusterOutcome{
		{Name: "member-1", Scheduled: true, Objects: 1},
		{
			Name: "member-2", Scheduled: true, Objects: 1, Failed: failure(Applied, "NotTakenOver"),
			Diffed: []DiffedPlacement{{Identifier: deployment, ObservedDiffs: []PatchDetail{
				{Path: "/spec/replicas"}, {Path: "/spec/a"}, {Path: "/spec/b"}, {Path: "/spec/c"},
			}}},
			Drifted: []DriftedPlacement{{Identifier: deployment, ObservedDrifts: []PatchDetail{{Path: "/spec/paused"}}}},
		},
	}, false, "0", 1)
	status.Unfilled = 2
	want := Summary{
		Conditions: map[string]string{
			"Scheduled": "False: SchedulingPolicyUnfulfilled", "RolloutStarted": "True", "Overridden": "True", "WorkSynchronized": "True",
			"Applied": "False: ApplyFailed",
		},
		PlacementStatuses: map[string]Phase{"member-1": PhaseAvailable, "member-2": PhaseNotApplied, "(2 unfilled)": PhaseScheduleFailed},
		FailedPlacements:  []string{"member-2: Deployment web/web: NotTakenOver"},
		DriftedPlacements: []string{"member-2: Deployment web/web: /spec/paused"},
		DiffedPlacements:  []string{"member-2: Deployment web/web: /spec/replicas, /spec/a, /spec/b and 1 more"},
	}
	if diff := cmp.Diff(want, status.Summarize()); diff != "" {
		t.Error(diff)
	}
}

// A summary stays small, and the lists of what is well are empty rather than unset.
func TestSummarizeMany(t *testing.T) {
	status := Status{Clusters: map[string]ClusterStatus{}}
	for i := range 60 {
		status.Clusters[fmt.Sprintf("member-%02d", i)] = ClusterStatus{FailedPlacements: failure(Applied, "NotTakenOver")}
	}
	got := status.Summarize()
	if n := len(got.FailedPlacements); n != MaxLines || got.FailedPlacements[n-1] != "and 11 more" {
		t.Errorf("%d lines, at last %q", n, got.FailedPlacements[n-1])
	}
	if got.DriftedPlacements == nil || got.DiffedPlacements == nil {
		t.Error("a list without lines is unset")
	}
}

// What clusters say is printed by Terraform from the state as well.
func TestSummarizeHostileTexts(t *testing.T) {
	const hostile = "x\x1b]0;pwned\a\x1b[2J\r\n\nApply complete!\u202e"
	id := manifest.Identifier{Kind: hostile, Namespace: hostile, Name: hostile}
	condition := Condition{Type: Applied, Status: False, Reason: hostile, Message: hostile}
	got := Status{
		Conditions: []Condition{condition},
		Clusters: map[string]ClusterStatus{hostile: {
			Conditions: []Condition{condition}, FailedPlacements: []FailedPlacement{{id, condition}},
			DriftedPlacements: []DriftedPlacement{{Identifier: id, ObservedDrifts: []PatchDetail{{Path: hostile}}}},
			DiffedPlacements:  []DiffedPlacement{{Identifier: id, ObservedDiffs: []PatchDetail{{Path: hostile}}}},
		}},
	}.Summarize()
	texts := slices.Concat(got.FailedPlacements, got.DriftedPlacements, got.DiffedPlacements)
	for conditionType, text := range got.Conditions {
		texts = append(texts, conditionType, text)
	}
	for cluster, phase := range got.PlacementStatuses {
		texts = append(texts, cluster, string(phase))
	}
	for _, text := range texts {
		if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("%q can do more than be read", text)
		}
	}
}

// What is on a cluster that does not answer is not known, whether it was picked or not.
func TestUnreachableIsUnknown(t *testing.T) {
	for _, scheduled := range []bool{true, false} {
		for conditionType, reporting := range map[string]bool{Applied: false, DiffReported: true} {
			status := NewClusterStatus(ClusterOutcome{Scheduled: scheduled, Reporting: reporting, Unreachable: "connection refused"}, 1)
			c, _ := status.Condition(conditionType)
			if c.Status != Unknown || c.Reason == "" || !strings.Contains(c.Message, "connection refused") || status.Phase() != PhaseUnreachable {
				t.Errorf("scheduled %t: %+v", scheduled, status)
			}
		}
	}
}
