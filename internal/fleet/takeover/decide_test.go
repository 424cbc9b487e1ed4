package takeover

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

var (
	foreignRef  = metav1.OwnerReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"}
	appliedWork = metav1.OwnerReference{APIVersion: "placement.kubernetes-fleet.io/v1beta1", Kind: "AppliedWork", Name: "b-work"}
	differs     = &diff.Comparison{Differences: []diff.Difference{{Path: "/a", InHub: "x", HasHub: true}}}
	degraded    = &diff.Comparison{Differences: differs.Differences, Degraded: true}
	equal       = &diff.Comparison{}
)

// failing is a comparison that could not be made.
func failing(text string) *diff.Comparison { return &diff.Comparison{Err: errors.New(text)} }

func strategy(when placement.WhenToTakeOver, coOwnership bool) placement.ApplyStrategy {
	spec := placement.Spec{Strategy: &placement.Strategy{ApplyStrategy: &placement.ApplyStrategy{
		WhenToTakeOver: when, AllowCoOwnership: new(coOwnership),
	}}}
	return *spec.Defaulted().Strategy.ApplyStrategy
}

// serverSide is a strategy of server-side apply that does not force, and takes over always.
func serverSide() placement.ApplyStrategy {
	out := strategy(placement.TakeOverAlways, false)
	out.Type = placement.ServerSideApply
	return out
}

// wrapped is the message of the condition around an error.
func wrapped(problem string) string { return "Failed to apply the manifest (error: " + problem + ")" }

const (
	notTakenOver = "no ownership of the object in the member cluster; takeover is needed"
	foundText    = "cannot take over object: configuration differences are found between the manifest object and the corresponding object in the member cluster"
	degradedText = foundText + " in degraded mode (full comparison is performed instead of partial comparison, as the manifest object is considered to be invalid by the member cluster API server)"
	takeoverText = "failed to take over a pre-existing object: "
	ownedText    = takeoverText + "the object is already owned by some other sources(s) and co-ownership is disallowed (existingOwnerRefs: [apps/v1 Deployment web])"
	ownerText    = "failed to apply the manifest: failed to validate owner references: "
)

// TestDecide has the rows of the decision table, reference/kubefleet-apply-takeover.md 1.6.
func TestDecide(t *testing.T) {
	const always, ifNoDiff, never = placement.TakeOverAlways, placement.TakeOverIfNoDiff, placement.TakeOverNever
	live := configMap(t, "metadata: {name: a}")
	leaving := configMap(t, `metadata: {name: a, deletionTimestamp: "2024-01-01T00:00:00Z"}`)
	refs := func(r ...metav1.OwnerReference) []metav1.OwnerReference { return r }
	refused := func(reason, problem string, differences []Difference) Decision {
		return Decision{Action: ActionRefuse, Reason: reason, Message: wrapped(problem), Differences: differences}
	}
	tests := map[string]struct {
		in   Input
		want Decision
	}{
		"D1":                           {Input{Strategy: strategy(never, false)}, Decision{Action: ActionCreate}},
		"D2, D3":                       {Input{Live: live, Strategy: strategy(always, false)}, Decision{Action: ActionTakeOver}},
		"D3, with the differences":     {Input{Live: live, Strategy: strategy(always, false), Comparison: differs}, Decision{Action: ActionTakeOver, Differences: one}},
		"D4, D5, not known yet":        {Input{Live: live, Strategy: strategy(ifNoDiff, false)}, Decision{Action: ActionNeedsComparison}},
		"D4":                           {Input{Live: live, Strategy: strategy(ifNoDiff, false), Comparison: equal}, Decision{Action: ActionTakeOver}},
		"D5":                           {Input{Live: live, Strategy: strategy(ifNoDiff, false), Comparison: differs}, refused(ReasonFailedToTakeOver, foundText, one)},
		"D6":                           {Input{Live: live, Strategy: strategy(ifNoDiff, false), Comparison: degraded}, refused(ReasonFailedToTakeOver, degradedText, one)},
		"D7":                           {Input{Live: live, Strategy: strategy(ifNoDiff, false), Comparison: &diff.Comparison{Degraded: true}}, Decision{Action: ActionTakeOver}},
		"D8":                           {Input{Live: live, Strategy: strategy(ifNoDiff, false), Comparison: failing("forbidden")}, refused(ReasonFailedToTakeOver, takeoverText+"failed to calculate configuration diffs between the manifest object and the object from the member cluster: failed to apply the manifest in dry-run mode: forbidden", nil)},
		"D9":                           {Input{Live: live, Strategy: strategy(never, false)}, refused(ReasonNotTakenOver, notTakenOver, nil)},
		"D9, with the differences":     {Input{Live: live, Strategy: strategy(never, false), Comparison: differs}, refused(ReasonNotTakenOver, notTakenOver, one)},
		"D10, Always":                  {Input{Live: live, Strategy: strategy(always, false), OwnerReferences: refs(foreignRef)}, refused(ReasonFailedToTakeOver, ownedText, nil)},
		"D10, IfNoDiff":                {Input{Live: live, Strategy: strategy(ifNoDiff, false), OwnerReferences: refs(foreignRef)}, refused(ReasonFailedToTakeOver, ownedText, nil)},
		"D11":                          {Input{Live: live, Strategy: strategy(always, true), OwnerReferences: refs(foreignRef)}, Decision{Action: ActionTakeOver}},
		"D12":                          {Input{Live: live, Strategy: strategy(ifNoDiff, true), OwnerReferences: refs(foreignRef), Comparison: equal}, Decision{Action: ActionTakeOver}},
		"D12, different":               {Input{Live: live, Strategy: strategy(ifNoDiff, true), OwnerReferences: refs(foreignRef), Comparison: differs}, refused(ReasonFailedToTakeOver, foundText, one)},
		"D13":                          {Input{Live: live, Strategy: strategy(always, false), OwnerReferences: refs(appliedWork), ForeignPlacement: "KubeFleet"}, refused(ReasonFailedToTakeOver, takeoverText+"the object is already owned by some other sources(s) and co-ownership is disallowed (existingOwnerRefs: [placement.kubernetes-fleet.io/v1beta1 AppliedWork b-work])", nil)},
		"D14":                          {Input{Live: live, Strategy: strategy(ifNoDiff, true), OwnerReferences: refs(foreignRef, appliedWork), ForeignPlacement: "KubeFleet"}, refused(ReasonFailedToTakeOver, takeoverText+"the object is already owned by another Fleet AppliedWork object", nil)},
		"D15, as D2":                   {Input{Live: live, Strategy: strategy(always, false)}, Decision{Action: ActionTakeOver}},
		"D15, as D5":                   {Input{Live: live, Strategy: strategy(ifNoDiff, false), Comparison: differs}, refused(ReasonFailedToTakeOver, foundText, one)},
		"D16":                          {Input{Live: live, Strategy: strategy(never, false)}, refused(ReasonNotTakenOver, notTakenOver, nil)},
		"D17":                          {Input{Live: live, Strategy: strategy(never, true), OwnerReferences: refs(appliedWork), ForeignPlacement: "KubeFleet"}, refused(ReasonNotTakenOver, notTakenOver, nil)},
		"D18":                          {Input{Live: live, Owned: true, Strategy: strategy(never, false)}, Decision{Action: ActionUpdate}},
		"D19":                          {Input{Live: live, Owned: true, Strategy: strategy(always, false), OwnerReferences: refs(foreignRef)}, refused(ReasonManifestApplyFailed, ownerText+"object is co-owned by multiple objects but co-ownership has been disallowed", nil)},
		"D20":                          {Input{Live: live, Owned: true, Strategy: strategy(always, true), OwnerReferences: refs(foreignRef)}, Decision{Action: ActionUpdate}},
		"D21":                          {Input{Live: live, Owned: true, Strategy: strategy(always, true), OwnerReferences: refs(appliedWork)}, refused(ReasonManifestApplyFailed, ownerText+"object is already owned by another AppliedWork object", nil)},
		"D22":                          {Input{Live: leaving, Strategy: strategy(always, false)}, Decision{Action: ActionTakeOver}},
		"D23, and D3-422, known later": {Input{Live: live, Strategy: serverSide(), Comparison: differs}, Decision{Action: ActionTakeOver, Differences: one}},
		"another placement":            {Input{Live: live, Strategy: strategy(always, true), ForeignPlacement: `another placement "x"`}, refused(ReasonFailedToTakeOver, takeoverText+`the object is already owned by another placement "x"`, nil)},
		"another placement, IfNoDiff":  {Input{Live: live, Strategy: strategy(ifNoDiff, true), ForeignPlacement: "KubeAdmiral", Comparison: equal}, refused(ReasonFailedToTakeOver, takeoverText+"the object is already owned by KubeAdmiral", nil)},
		"ours and KubeAdmiral's":       {Input{Live: live, Owned: true, Strategy: strategy(always, true), ForeignPlacement: "KubeAdmiral"}, refused(ReasonManifestApplyFailed, ownerText+"object is already owned by KubeAdmiral", nil)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Decide(tt.in)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDecideUnderFullComparisonMakesNoDryRun(t *testing.T) {
	full := strategy(placement.TakeOverIfNoDiff, false)
	full.ComparisonOption = placement.FullComparison
	got := Decide(Input{Live: configMap(t, "metadata: {name: a}"), Strategy: full, Comparison: failing("odd")})
	want := wrapped(takeoverText + "failed to calculate configuration diffs between the manifest object and the object from the member cluster: odd")
	if got.Message != want {
		t.Errorf("got %s", got.Message)
	}
}

// TestDecideNeverTakesWhatIsSomebodyElses holds whatever else is the case.
func TestDecideNeverTakesWhatIsSomebodyElses(t *testing.T) {
	live := configMap(t, "metadata: {name: a}")
	rapid.Check(t, func(t *rapid.T) {
		in := Input{
			Live:       live,
			Owned:      rapid.Bool().Draw(t, "owned"),
			Compared:   rapid.Bool().Draw(t, "compared"),
			Degraded:   rapid.Bool().Draw(t, "degraded"),
			CompareErr: rapid.SampledFrom([]error{nil, errors.New("x")}).Draw(t, "error"),
			Strategy: strategy(rapid.SampledFrom([]placement.WhenToTakeOver{"Always", "IfNoDiff", "Never"}).Draw(t, "when"),
				rapid.Bool().Draw(t, "co-ownership")),
		}
		if rapid.Bool().Draw(t, "by reference") {
			in.OwnerReferences = []metav1.OwnerReference{foreignRef, appliedWork}
		} else {
			in.ForeignPlacement = "another placement"
		}
		if rapid.Bool().Draw(t, "different") {
			in.Differences = one
		}
		got := Decide(in)
		if got.Action != ActionRefuse || got.Reason == "" || got.Message == "" {
			t.Fatalf("%+v: got %+v", in, got)
		}
		if report := DecideReport(in); report.TakesOwnership || report.Action != ActionNeedsComparison && report.Reason == "" {
			t.Fatalf("%+v: got %+v", in, report)
		}
	})
}

// TestBlockedReport has row R10.
func TestBlockedReport(t *testing.T) {
	for reason, want := range map[string]string{
		ReasonDecodingErred:                  "An error blocks the diff reporting process (DecodingErred, error: x)",
		ReasonDuplicated:                     "An error blocks the diff reporting process (Duplicated, error: x)",
		ReasonFoundGenerateName:              "An error blocks the diff reporting process (FoundGenerateName, error: x)",
		ReasonFailedToFindObjInMemberCluster: "An error blocks the diff reporting process (FailedToFindObjInMemberCluster, error: x)",
	} {
		got := BlockedReport(reason, "x")
		if diff := cmp.Diff(Report{Action: ActionReport, Reason: "FailedToReportDiff", Message: want}, got); diff != "" {
			t.Error(diff)
		}
	}
}

// TestDecideReport has the rows R1 to R9.
func TestDecideReport(t *testing.T) {
	const always, ifNoDiff, never = placement.TakeOverAlways, placement.TakeOverIfNoDiff, placement.TakeOverNever
	live := configMap(t, "metadata: {name: a}")
	noDiff := Report{Action: ActionReport, Done: true, Reason: "NoDiffFound", Message: "No diff has been found between the hub cluster and the member cluster"}
	diff := Report{Action: ActionReport, Done: true, Reason: "FoundDiff", Message: "Diff has been found between the hub cluster and the member cluster", Differences: one}
	owning := func(r Report) Report { r.TakesOwnership = true; return r }
	failed := func(message string, differences ...Difference) Report {
		return Report{Action: ActionReport, Reason: "FailedToReportDiff", Message: message, Differences: differences}
	}
	tests := map[string]struct {
		in   Input
		want Report
	}{
		"R1": {Input{Strategy: strategy(always, false)}, Report{
			Action: ActionReport, Done: true, Reason: "FoundDiff", Message: diff.Message, Differences: []Difference{{Path: "/", InHub: "(the whole object)", HasHub: true}},
		}},
		"R2":                    {Input{Live: live, Strategy: strategy(never, false), Comparison: equal}, noDiff},
		"R2, owned":             {Input{Live: live, Owned: true, Strategy: strategy(always, false), Comparison: equal}, noDiff},
		"R3":                    {Input{Live: live, Strategy: strategy(never, false), Comparison: differs}, diff},
		"R3, not known yet":     {Input{Live: live, Strategy: strategy(never, false)}, Report{Action: ActionNeedsComparison}},
		"R4":                    {Input{Live: live, Strategy: strategy(never, false), Comparison: degraded}, Report{Action: ActionReport, Done: true, Reason: "FoundDiffInDegradedMode", Message: "Diff has been found in degraded mode: cannot perform partial comparison as the member cluster API server rejected the manifest object (object is invalid)", Differences: one}},
		"R5":                    {Input{Live: live, Strategy: strategy(always, false), Comparison: differs}, owning(diff)},
		"R6":                    {Input{Live: live, Strategy: strategy(ifNoDiff, false), Comparison: equal}, owning(noDiff)},
		"R6, R7, not known yet": {Input{Live: live, Strategy: strategy(ifNoDiff, false)}, Report{Action: ActionNeedsComparison}},
		"R7":                    {Input{Live: live, Strategy: strategy(ifNoDiff, false), Comparison: differs}, failed("An error blocks the diff reporting process (FailedToTakeOver, error: "+foundText+")", one...)},
		"R8":                    {Input{Live: live, Strategy: strategy(always, false), OwnerReferences: []metav1.OwnerReference{foreignRef}}, failed("An error blocks the diff reporting process (FailedToTakeOver, error: " + ownedText + ")")},
		"R9":                    {Input{Live: live, Strategy: strategy(never, false), Comparison: failing("x")}, failed("Failed to report the diff between the hub cluster and the member cluster (error = failed to calculate configuration diffs between the manifest object and the object from the member cluster: failed to apply the manifest in dry-run mode: x)")},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := cmp.Diff(tt.want, DecideReport(tt.in)); got != "" {
				t.Error(got)
			}
		})
	}
}
