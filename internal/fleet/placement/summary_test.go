package placement

import (
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

// TestPhases checks that each documented phase is the phase of an outcome, and that no outcome has another phase.
func TestPhases(t *testing.T) {
	seen := map[Phase]bool{PhaseApplied: true} // for engines that do not check availability
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

func TestConditionTypesHaveThePrefixOfTheScope(t *testing.T) {
	for namespace, want := range map[string]string{"": "ClusterResourcePlacementScheduled", "web": "ResourcePlacementScheduled"} {
		if got := NewStatus(namespace, nil, nil, true, "0", 1).Conditions[0].Type; got != want {
			t.Errorf("namespace %q: got %s, want %s", namespace, got, want)
		}
	}
}

func TestSummarize(t *testing.T) {
	status := NewStatus("", nil, []ClusterOutcome{
		{Name: "member-1", Scheduled: true, Objects: 1},
		{Name: "member-2", Scheduled: true, Objects: 1, Failed: failure(Applied, "NotTakenOver")},
	}, false, "0", 1)
	status.Unfilled = 2
	want := Summary{
		Conditions: map[string]string{
			"Scheduled": "False: SchedulingPolicyUnfulfilled", "RolloutStarted": "True", "Overridden": "True", "WorkSynchronized": "True",
			"Applied": "False: ApplyFailed",
		},
		Phases:           map[string]Phase{"member-1": PhaseAvailable, "member-2": PhaseNotApplied, "(2 unfilled)": PhaseScheduleFailed},
		FailedPlacements: []string{"member-2: Deployment web/web: NotTakenOver"},
	}
	if diff := cmp.Diff(want, status.Summarize()); diff != "" {
		t.Error(diff)
	}
}

// TestPhaseAndProblems checks the parts of a status that a state stores.
func TestPhaseAndProblems(t *testing.T) {
	drifts := []PatchDetail{{Path: "/spec/paused"}}
	diffs := []PatchDetail{{Path: "/spec/replicas"}, {Path: "/spec/a"}, {Path: "/spec/b"}, {Path: "/spec/c"}}
	healthy := ClusterOutcome{Name: "member-1", Scheduled: true, Objects: 1}
	for name, c := range map[string]struct {
		outcomes []ClusterOutcome
		unfilled int
		phase    Phase
		problems string
	}{
		"all well": {[]ClusterOutcome{healthy, {Name: "member-2", Scheduled: true, Objects: 1}}, 0, PhaseAvailable, ""},
		"not taken over": {
			[]ClusterOutcome{healthy, {
				Name: "member-2", Scheduled: true, Objects: 1, Failed: failure(Applied, "FailedToTakeOver"),
				Diffed: []DiffedPlacement{{Identifier: deployment, ObservedDiffs: diffs}},
			}}, 0, PhaseNotApplied, "member-2: Deployment web/web: FailedToTakeOver",
		},
		"drifted": {
			[]ClusterOutcome{{Name: "member-2", Scheduled: true, Objects: 1, Drifted: []DriftedPlacement{{Identifier: deployment, ObservedDrifts: drifts}}}},
			0, PhaseAvailable, "member-2: Deployment web/web: drifted: /spec/paused",
		},
		"deleted": {
			[]ClusterOutcome{{Name: "member-2", Scheduled: true, Objects: 1, Drifted: []DriftedPlacement{{
				Identifier: deployment, ObservedDrifts: []PatchDetail{{Path: "/", ValueInHub: "(the whole object)"}},
			}}}}, 0, PhaseAvailable, "member-2: Deployment web/web: missing",
		},
		"deleted ones are first": {
			[]ClusterOutcome{
				{Name: "member-1", Scheduled: true, Objects: 1, Drifted: []DriftedPlacement{{Identifier: deployment, ObservedDrifts: drifts}}},
				{Name: "member-2", Scheduled: true, Objects: 1, Drifted: []DriftedPlacement{{
					Identifier: deployment, ObservedDrifts: []PatchDetail{{Path: "/", ValueInHub: "(the whole object)"}},
				}}},
			}, 0, PhaseAvailable, "member-2: Deployment web/web: missing; member-1: Deployment web/web: drifted: /spec/paused",
		},
		"reported": {
			[]ClusterOutcome{{Name: "member-2", Scheduled: true, Reporting: true, Objects: 1, Diffed: []DiffedPlacement{{Identifier: deployment, ObservedDiffs: diffs}}}},
			0, PhaseDiffReported, "member-2: Deployment web/web: differs: /spec/replicas, /spec/a, /spec/b and 1 more",
		},
		"not enough clusters": {[]ClusterOutcome{healthy}, 2, PhaseScheduleFailed, "(2 unfilled): ScheduleFailed"},
		"the worst of several": {
			[]ClusterOutcome{
				{Name: "a", Scheduled: true, Unreachable: "refused"}, {Name: "b", Scheduled: true, Objects: 1, Waiting: failure(Available, "NotAvailableYet")},
				{Name: "c", Scheduled: true, Held: NotStarted("a is unreachable")}, {Name: "d", Scheduled: true, Objects: 1, Failed: failure(Applied, "ManifestApplyFailed")},
				healthy,
			}, 0, PhaseNotApplied, "a: Unreachable; b: Deployment web/web: NotAvailableYet; c: RolloutNotStartedYet; and 1 more",
		},
		"no cluster": {nil, 0, "Scheduled", ""},
	} {
		status := NewStatus("", nil, c.outcomes, true, "0", 1)
		status.Unfilled = c.unfilled
		if phase, problems := status.Phase(), status.Problems(); phase != c.phase || problems != c.problems {
			t.Errorf("%s: %s, %q", name, phase, problems)
		}
	}
	if unknown := (Status{Clusters: map[string]ClusterStatus{
		"a": {Conditions: []Condition{{Type: Applied, Status: False, Reason: "SomeNewReason"}}}, "b": {Unreachable: true},
	}}).Phase(); unknown != "SomeNewReason" {
		t.Errorf("an unknown reason ranks better than %s", unknown)
	}
}

// TestSummarizeHostileTexts checks texts from clusters, which Terraform also prints from the state.
func TestSummarizeHostileTexts(t *testing.T) {
	const hostile = "x\x1b]0;pwned\a\x1b[2J\r\n\nApply complete!\u202e"
	id := manifest.Identifier{Kind: hostile, Namespace: hostile, Name: hostile}
	condition := Condition{Type: Applied, Status: False, Reason: hostile, Message: hostile}
	status := Status{
		Conditions: []Condition{condition},
		Clusters: map[string]ClusterStatus{hostile: {
			Conditions: []Condition{condition}, FailedPlacements: []FailedPlacement{{id, condition}},
			DriftedPlacements: []DriftedPlacement{{Identifier: id, ObservedDrifts: []PatchDetail{{Path: hostile}}}},
			DiffedPlacements:  []DiffedPlacement{{Identifier: id, ObservedDiffs: []PatchDetail{{Path: hostile}}}},
		}},
	}
	got := status.Summarize()
	texts := append(slices.Clone(got.FailedPlacements), status.Problems(), string(status.Phase()))
	for conditionType, text := range got.Conditions {
		texts = append(texts, conditionType, text)
	}
	for cluster, phase := range got.Phases {
		texts = append(texts, cluster, string(phase))
	}
	for _, text := range texts {
		if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("%q has characters that are not printable", text)
		}
	}
}

// TestUnreachableIsUnknown checks that the objects on an unreachable cluster are unknown, whether it was picked or not.
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
