package takeover

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// TestBlockedReport covers row R10.
func TestBlockedReport(t *testing.T) {
	for reason, want := range map[string]string{
		ReasonDecodingErred:                  "An error blocks the diff reporting process (DecodingErred, error: x)",
		ReasonDuplicated:                     "An error blocks the diff reporting process (Duplicated, error: x)",
		ReasonFoundGenerateName:              "An error blocks the diff reporting process (FoundGenerateName, error: x)",
		ReasonFailedToFindObjInMemberCluster: "An error blocks the diff reporting process (FailedToFindObjInMemberCluster, error: x)",
	} {
		got := BlockedReport(Rejected(ObstacleNotReadable, reason, "x"))
		if diff := cmp.Diff(Report{Obstacle: ObstacleNotReadable, Reason: "FailedToReportDiff", Message: want}, got); diff != "" {
			t.Error(diff)
		}
	}
}

// TestDecideReport covers rows R1 to R9.
func TestDecideReport(t *testing.T) {
	const always, ifNoDiff, never = placement.TakeOverAlways, placement.TakeOverIfNoDiff, placement.TakeOverNever
	live := object(t, config+"metadata: {name: a}")
	noDiff := Report{Reason: "NoDiffFound", Message: "No diff has been found between the hub cluster and the member cluster"}
	found := Report{Reason: "FoundDiff", Message: "Diff has been found between the hub cluster and the member cluster"}
	owning := func(r Report) Report { r.TakesOwnership = true; return r }
	failed := func(obstacle Obstacle, message string) Report {
		return Report{Obstacle: obstacle, Reason: "FailedToReportDiff", Message: message}
	}
	blocked := func(obstacle Obstacle, problem string) Report {
		return failed(obstacle, "An error blocks the diff reporting process (FailedToTakeOver, error: "+problem+")")
	}
	degradedDiff := Report{Reason: "FoundDiffInDegradedMode", Message: "Diff has been found in degraded mode: cannot perform partial comparison as the member cluster API server rejected the manifest object (object is invalid)"}
	const failure = "Failed to report the diff between the hub cluster and the member cluster (error = "
	tests := map[string]struct {
		in    Input
		want  Report
		needs bool
	}{
		"R1":                    {Input{Strategy: strategy(always, false)}, found, false},
		"R2":                    {Input{Live: live, Strategy: strategy(never, false), Comparison: same}, noDiff, true},
		"R2, owned":             {Input{Live: live, Owned: true, Strategy: strategy(always, false), Comparison: same}, noDiff, true},
		"R3":                    {Input{Live: live, Strategy: strategy(never, false), Comparison: differs}, found, true},
		"R3, not known yet":     {Input{Live: live, Strategy: strategy(never, false)}, failed(ObstacleNotCompared, unknownText), true},
		"R4":                    {Input{Live: live, Strategy: strategy(never, false), Comparison: degraded}, degradedDiff, true},
		"R5":                    {Input{Live: live, Strategy: strategy(always, false), Comparison: differs}, owning(found), true},
		"R5, as R2":             {Input{Live: live, Strategy: strategy(always, false), Comparison: same}, owning(noDiff), true},
		"R6":                    {Input{Live: live, Strategy: strategy(ifNoDiff, false), Comparison: same}, owning(noDiff), true},
		"R6, R7, not known yet": {Input{Live: live, Strategy: strategy(ifNoDiff, false)}, blocked(ObstacleNotCompared, takeoverText+unknownText), true},
		"R7":                    {Input{Live: live, Strategy: strategy(ifNoDiff, false), Comparison: differs}, blocked(ObstacleDifferences, foundText), true},
		"R8":                    {Input{Live: live, Strategy: strategy(always, false), OwnerReferences: []metav1.OwnerReference{foreignRef}}, blocked(ObstacleOwnerReferences, takeoverText+ownedText), false},
		"R9":                    {Input{Live: live, Strategy: strategy(never, false), Comparison: failedComparison("x")}, failed(ObstacleNotCompared, failure+dryRunText+"x)"), true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := cmp.Diff(tt.want, DecideReport(tt.in)); got != "" {
				t.Error(got)
			}
			if tt.in.NeedsReport() != tt.needs {
				t.Errorf("needs a comparison: %t", !tt.needs)
			}
		})
	}
}
