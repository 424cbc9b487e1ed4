package takeover

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

var (
	foreignRef  = metav1.OwnerReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"}
	appliedWork = metav1.OwnerReference{APIVersion: "placement.kubernetes-fleet.io/v1beta1", Kind: "AppliedWork", Name: "b-work"}
	differs     = &diff.Comparison{Differences: []diff.Difference{{Path: "/a", InHub: "x", HasHub: true}}}
	degraded    = &diff.Comparison{Differences: differs.Differences, Degraded: true}
	same        = &diff.Comparison{}
)

// failedComparison returns a comparison that failed.
func failedComparison(text string) *diff.Comparison { return &diff.Comparison{Err: errors.New(text)} }

func strategy(when placement.WhenToTakeOver, coOwnership bool) placement.ApplyStrategy {
	spec := placement.Spec{Strategy: &placement.Strategy{ApplyStrategy: &placement.ApplyStrategy{
		WhenToTakeOver: when, AllowCoOwnership: new(coOwnership),
	}}}
	return *spec.Defaulted().Strategy.ApplyStrategy
}

// serverSide returns a strategy with server-side apply that does not force conflicts, and takes over Always.
func serverSide() placement.ApplyStrategy {
	out := strategy(placement.TakeOverAlways, false)
	out.Type = placement.ServerSideApply
	return out
}

// appliedMessage returns the message of the condition with an error in it.
func appliedMessage(problem string) string {
	return "Failed to apply the manifest (error: " + problem + ")"
}

const (
	notTakenOver = "no ownership of the object in the member cluster; takeover is needed"
	foundText    = "cannot take over object: configuration differences are found between the manifest object and the corresponding object in the member cluster"
	degradedText = foundText + " in degraded mode (" + degradedProblem + ")"
	// degradedProblem is the problem as diagnostics show it.
	degradedProblem = "full comparison is performed instead of partial comparison, as the manifest object is considered to be invalid by the member cluster API server"
	config          = "apiVersion: v1\nkind: ConfigMap\n"
	takeoverText    = "failed to take over a pre-existing object: "
	ownedText       = "the object is already owned by some other sources(s) and co-ownership is disallowed (existingOwnerRefs: [apps/v1 Deployment web])"
	worksText       = "the object is already owned by some other sources(s) and co-ownership is disallowed (existingOwnerRefs: [placement.kubernetes-fleet.io/v1beta1 AppliedWork b-work])"
	anotherText     = "the object is already owned by "
	coOwnedText     = "object is co-owned by multiple objects but co-ownership has been disallowed"
	unknownText     = "the differences of the object are unknown"
	dryRunText      = "failed to calculate configuration diffs between the manifest object and the object from the member cluster: failed to apply the manifest in dry-run mode: "
	ownerText       = "failed to apply the manifest: failed to validate owner references: "
)

// newLeaveDecision returns a decision to leave an object alone, without Error, which the message has.
func newLeaveDecision(obstacle Obstacle, reason, problem string) Decision {
	return Decision{Action: ActionLeaveAlone, Obstacle: obstacle, Reason: reason, Problem: problem}
}

// TestDecide covers the rows of the decision table.
func TestDecide(t *testing.T) {
	const always, ifNoDiff, never = placement.TakeOverAlways, placement.TakeOverIfNoDiff, placement.TakeOverNever
	live := object(t, config+"metadata: {name: a}")
	leaving := object(t, config+`metadata: {name: a, deletionTimestamp: "2024-01-01T00:00:00Z"}`)
	refs := func(r ...metav1.OwnerReference) []metav1.OwnerReference { return r }
	notTaken := newLeaveDecision(ObstacleMode, ReasonNotTakenOver, notTakenOver)
	differing := newLeaveDecision(ObstacleDifferences, ReasonFailedToTakeOver, foundText)
	create, update, takeOver := Decision{Action: ActionCreate}, Decision{Action: ActionUpdate}, Decision{Action: ActionTakeOver}
	notTakenFrom := func(obstacle Obstacle, problem string) Decision {
		return newLeaveDecision(obstacle, ReasonFailedToTakeOver, problem)
	}
	rejected := func(obstacle Obstacle, problem string) Decision {
		return Decision{Action: ActionReject, Obstacle: obstacle, Reason: ReasonManifestApplyFailed, Problem: ownerText + problem}
	}
	tests := map[string]struct {
		in   Input
		want Decision
		// message is that of the condition without its constant prefix and suffix; needs reports whether the decision depends on a comparison.
		message string
		needs   bool
	}{
		"D1":                       {in: Input{Strategy: strategy(never, false)}, want: create},
		"D2, D3":                   {in: Input{Live: live, Strategy: strategy(always, false)}, want: takeOver},
		"D3, with the differences": {in: Input{Live: live, Strategy: strategy(always, false), Comparison: differs}, want: takeOver},
		"D4, D5, not known yet": {
			in: Input{Live: live, Strategy: strategy(ifNoDiff, false)}, needs: true,
			want: notTakenFrom(ObstacleNotCompared, unknownText), message: takeoverText + unknownText,
		},
		"D4": {in: Input{Live: live, Strategy: strategy(ifNoDiff, false), Comparison: same}, want: takeOver, needs: true},
		"D5": {in: Input{Live: live, Strategy: strategy(ifNoDiff, false), Comparison: differs}, want: differing, message: foundText, needs: true},
		"D6": {
			in: Input{Live: live, Strategy: strategy(ifNoDiff, false), Comparison: degraded}, needs: true,
			want: notTakenFrom(ObstacleDegradedDifferences, degradedProblem), message: degradedText,
		},
		"D7": {in: Input{Live: live, Strategy: strategy(ifNoDiff, false), Comparison: &diff.Comparison{Degraded: true}}, want: takeOver, needs: true},
		"D8": {
			in: Input{Live: live, Strategy: strategy(ifNoDiff, false), Comparison: failedComparison("forbidden")}, needs: true,
			want: notTakenFrom(ObstacleNotCompared, dryRunText+"forbidden"), message: takeoverText + dryRunText + "forbidden",
		},
		"D9":                       {in: Input{Live: live, Strategy: strategy(never, false)}, want: notTaken, message: notTakenOver},
		"D9, with the differences": {in: Input{Live: live, Strategy: strategy(never, false), Comparison: differs}, want: notTaken, message: notTakenOver},
		"D10, Always": {
			in:   Input{Live: live, Strategy: strategy(always, false), OwnerReferences: refs(foreignRef)},
			want: notTakenFrom(ObstacleOwnerReferences, ownedText), message: takeoverText + ownedText,
		},
		"D10, IfNoDiff": {
			in:   Input{Live: live, Strategy: strategy(ifNoDiff, false), OwnerReferences: refs(foreignRef)},
			want: notTakenFrom(ObstacleOwnerReferences, ownedText), message: takeoverText + ownedText,
		},
		"D11": {in: Input{Live: live, Strategy: strategy(always, true), OwnerReferences: refs(foreignRef)}, want: takeOver},
		"D12": {
			in: Input{Live: live, Strategy: strategy(ifNoDiff, true), OwnerReferences: refs(foreignRef), Comparison: same}, want: takeOver, needs: true,
		},
		"D12, different": {
			in:   Input{Live: live, Strategy: strategy(ifNoDiff, true), OwnerReferences: refs(foreignRef), Comparison: differs},
			want: differing, message: foundText, needs: true,
		},
		"D13": {
			in:   Input{Live: live, Strategy: strategy(always, false), OwnerReferences: refs(appliedWork), ForeignPlacement: "KubeFleet"},
			want: notTakenFrom(ObstacleOwnerReferences, worksText), message: takeoverText + worksText,
		},
		"D14": {
			in:   Input{Live: live, Strategy: strategy(ifNoDiff, true), OwnerReferences: refs(foreignRef, appliedWork), ForeignPlacement: "KubeFleet"},
			want: notTakenFrom(ObstacleForeignOwner, anotherText+"another Fleet AppliedWork object"), message: takeoverText + anotherText + "another Fleet AppliedWork object",
		},
		"D15, as D2": {in: Input{Live: live, Strategy: strategy(always, false)}, want: takeOver},
		"D15, as D5": {in: Input{Live: live, Strategy: strategy(ifNoDiff, false), Comparison: differs}, want: differing, message: foundText, needs: true},
		"D16":        {in: Input{Live: live, Strategy: strategy(never, false)}, want: notTaken, message: notTakenOver},
		"D17": {
			in:   Input{Live: live, Strategy: strategy(never, true), OwnerReferences: refs(appliedWork), ForeignPlacement: "KubeFleet"},
			want: notTaken, message: notTakenOver,
		},
		"D18": {in: Input{Live: live, Owned: true, Strategy: strategy(never, false)}, want: update},
		"D19": {
			in:   Input{Live: live, Owned: true, Strategy: strategy(always, false), OwnerReferences: refs(foreignRef)},
			want: rejected(ObstacleOwnerReferences, coOwnedText), message: ownerText + coOwnedText,
		},
		"D20": {in: Input{Live: live, Owned: true, Strategy: strategy(always, true), OwnerReferences: refs(foreignRef)}, want: update},
		"D21": {
			in:   Input{Live: live, Owned: true, Strategy: strategy(always, true), OwnerReferences: refs(appliedWork)},
			want: rejected(ObstacleForeignOwner, "object is already owned by another AppliedWork object"), message: ownerText + "object is already owned by another AppliedWork object",
		},
		"D22":                          {in: Input{Live: leaving, Strategy: strategy(always, false)}, want: takeOver},
		"D23, and D3-422, known later": {in: Input{Live: live, Strategy: serverSide(), Comparison: differs}, want: takeOver},
		"given":                        {in: Input{Live: live, Given: true, Strategy: strategy(never, false)}, want: Decision{Action: ActionTakeOverFrom}},
		"given, and different": {
			in: Input{Live: live, Given: true, Strategy: strategy(ifNoDiff, false), Comparison: differs}, want: Decision{Action: ActionTakeOverFrom},
		},
		"given, with owners": {
			in:   Input{Live: live, Given: true, Strategy: strategy(always, false), OwnerReferences: refs(foreignRef)},
			want: rejected(ObstacleOwnerReferences, coOwnedText), message: ownerText + coOwnedText,
		},
		"another placement": {
			in:   Input{Live: live, Strategy: strategy(always, true), ForeignPlacement: `another placement "x"`},
			want: notTakenFrom(ObstacleForeignOwner, anotherText+`another placement "x"`), message: takeoverText + anotherText + `another placement "x"`,
		},
		"another placement, IfNoDiff": {
			in:   Input{Live: live, Strategy: strategy(ifNoDiff, true), ForeignPlacement: "KubeAdmiral", Comparison: same},
			want: notTakenFrom(ObstacleForeignOwner, anotherText+"KubeAdmiral"), message: takeoverText + anotherText + "KubeAdmiral",
		},
		"ours and KubeAdmiral's": {
			in:   Input{Live: live, Owned: true, Strategy: strategy(always, true), ForeignPlacement: "KubeAdmiral"},
			want: rejected(ObstacleForeignOwner, "object is already owned by KubeAdmiral"), message: ownerText + "object is already owned by KubeAdmiral",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := Decide(tt.in)
			want := tt.want
			want.Error = tt.message
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			message := ""
			if tt.message != "" {
				message = appliedMessage(tt.message)
			}
			if got.Message() != message {
				t.Errorf("got %s", got.Message())
			}
			if tt.in.NeedsComparison() != tt.needs {
				t.Errorf("needs a comparison: %t", !tt.needs)
			}
		})
	}
}

func TestDecideUnderFullComparisonMakesNoDryRun(t *testing.T) {
	full := strategy(placement.TakeOverIfNoDiff, false)
	full.ComparisonOption = placement.FullComparison
	got := Decide(Input{Live: object(t, config+"metadata: {name: a}"), Strategy: full, Comparison: failedComparison("odd")})
	want := appliedMessage(takeoverText + "failed to calculate configuration diffs between the manifest object and the object from the member cluster: odd")
	if got.Message() != want {
		t.Errorf("got %s", got.Message())
	}
}

// TestOtherDecisions covers the decisions that the engine makes.
func TestOtherDecisions(t *testing.T) {
	got := Rejected(ObstacleAdmission, ReasonManifestApplyFailed, "denied")
	want := Decision{Action: ActionReject, Obstacle: ObstacleAdmission, Problem: "denied", Reason: "ManifestApplyFailed", Error: "denied"}
	if diff := cmp.Diff(want, got); diff != "" || got.Message() != appliedMessage("denied") {
		t.Error(diff, got.Message())
	}
	const changed = "it has changed. The object was not taken over"
	got = NotAgreed("it has changed")
	want = newLeaveDecision(ObstacleNotAgreed, "FailedToTakeOver", "it has changed")
	want.Error = changed
	if diff := cmp.Diff(want, got); diff != "" || got.Message() != appliedMessage(changed) {
		t.Error(diff, got.Message())
	}
	want = Decision{
		Action: ActionLeaveDrifted, Obstacle: ObstacleNotAgreed, Problem: "it has changed", Reason: "ChangedSincePlan", Error: "it has changed. The object was not updated",
	}
	if diff := cmp.Diff(want, NotPlanned("it has changed")); diff != "" {
		t.Error(diff)
	}
}

// drawInput draws an input with an object on the member and any owner.
func drawInput(t *rapid.T, live *unstructured.Unstructured) Input {
	in := Input{
		Live:         live,
		Owned:        rapid.Bool().Draw(t, "owned"),
		SameManifest: rapid.Bool().Draw(t, "same manifest"),
		Comparison:   rapid.SampledFrom([]*diff.Comparison{nil, same, differs, degraded, failedComparison("x"), {Degraded: true}}).Draw(t, "comparison"),
		Strategy: strategy(rapid.SampledFrom([]placement.WhenToTakeOver{"Always", "IfNoDiff", "Never"}).Draw(t, "when"),
			rapid.Bool().Draw(t, "co-ownership")),
	}
	in.Strategy.WhenToApply = rapid.SampledFrom([]placement.WhenToApply{"Always", placement.ApplyIfNotDrifted}).Draw(t, "when to apply")
	in.Strategy.ComparisonOption = rapid.SampledFrom([]placement.ComparisonOption{placement.PartialComparison, placement.FullComparison}).Draw(t, "option")
	return in
}

// TestDecisionProperties checks properties that hold for every input.
func TestDecisionProperties(t *testing.T) {
	live := object(t, config+"metadata: {name: a}")
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t, live)
		in.OwnerReferences = rapid.SampledFrom([][]metav1.OwnerReference{nil, {foreignRef}, {appliedWork}, {foreignRef, appliedWork}}).Draw(t, "references")
		in.ForeignPlacement = rapid.SampledFrom([]string{"", "KubeAdmiral"}).Draw(t, "placement")
		for name, got := range map[string]Decision{"takeover": Decide(in), "drift": DecideDrift(in)} {
			stays := got.Action.Leaves() || got.Action == ActionReject
			if isExplained := got.Obstacle != ObstacleNone && got.Problem != "" && got.Reason != "" && got.Error != "" && got.Message() != ""; isExplained != stays {
				t.Fatalf("%s: %+v: got %+v", name, in, got)
			}
			if none := got == (Decision{Action: got.Action}) && got.Message() == ""; none == stays || got.Action.Writes() == stays || got.Action.Places() == stays {
				t.Fatalf("%s: %+v: got %+v", name, in, got)
			}
		}
		if got := Decide(in); got.Action == ActionTakeOver && in.NeedsComparison() && (in.Comparison == nil || in.Comparison.Err != nil || in.Comparison.Differs()) {
			t.Fatalf("%+v: taken over", in)
		}
		if got := DecideDrift(in); got.Action == ActionUpdate && in.GatedByDrift() && (in.Comparison == nil || in.Comparison.Err != nil || in.Comparison.Differs()) {
			t.Fatalf("%+v: updated", in)
		}
		dependsOnNothing(t, in)
	})
}

// dependsOnNothing checks that a decision that needs no comparison does not depend on one.
func dependsOnNothing(t *rapid.T, in Input) {
	without := in
	without.Comparison = nil
	if !in.NeedsComparison() && Decide(in) != Decide(without) {
		t.Fatalf("%+v: got %+v, and without a comparison %+v", in, Decide(in), Decide(without))
	}
	if !in.GatedByDrift() && DecideDrift(in) != DecideDrift(without) {
		t.Fatalf("%+v: got %+v, and without a comparison %+v", in, DecideDrift(in), DecideDrift(without))
	}
	if !in.NeedsReport() && DecideReport(in) != DecideReport(without) {
		t.Fatalf("%+v: got %+v, and without a comparison %+v", in, DecideReport(in), DecideReport(without))
	}
}

// TestDecideNeverTakesWhatIsSomebodyElses checks that an exclusive owner's object is never taken over, regardless of the other inputs.
func TestDecideNeverTakesWhatIsSomebodyElses(t *testing.T) {
	live := object(t, config+"metadata: {name: a}")
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t, live)
		if rapid.Bool().Draw(t, "by reference") {
			in.OwnerReferences = []metav1.OwnerReference{foreignRef, appliedWork}
		} else {
			in.ForeignPlacement = "another placement"
		}
		if got := Decide(in); got.Action != ActionLeaveAlone && got.Action != ActionReject || got.Reason == "" || got.Message() == "" || in.NeedsComparison() {
			t.Fatalf("%+v: got %+v", in, got)
		}
		if report := DecideReport(in); report.TakesOwnership || report.Reason == "" {
			t.Fatalf("%+v: got %+v", in, report)
		}
	})
}
