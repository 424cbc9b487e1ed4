package takeover

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

const (
	driftsText = "cannot apply manifest: drifts are found between the manifest and the object from the member cluster"
	driftError = "failed to calculate pre-apply drifts between the manifest and the object from the member cluster: "
)

func gate(when placement.WhenToApply, option placement.ComparisonOption) placement.ApplyStrategy {
	out := strategy(placement.TakeOverAlways, false)
	out.WhenToApply, out.ComparisonOption = when, option
	return out
}

// TestDecideDrift covers the drift detection that precedes the apply.
func TestDecideDrift(t *testing.T) {
	always, partial, full := gate("Always", placement.FullComparison), gate(placement.ApplyIfNotDrifted, placement.PartialComparison), gate(placement.ApplyIfNotDrifted, placement.FullComparison)
	live := object(t, config+"metadata: {name: a}")
	drifted := func(strategy placement.ApplyStrategy, comparison *diff.Comparison) Input {
		return Input{Live: live, Owned: true, Strategy: strategy, SameManifest: true, Comparison: comparison}
	}
	leaveDrifted := func(obstacle Obstacle, reason, problem, message string) Decision {
		return Decision{Action: ActionLeaveDrifted, Obstacle: obstacle, Reason: reason, Problem: problem, Error: message}
	}
	found := leaveDrifted(ObstacleDifferences, "FoundDrifts", driftsText, driftsText)
	failed := func(problem string) Decision {
		return Decision{Action: ActionReject, Obstacle: ObstacleNotCompared, Reason: "FailedToRunDriftDetection", Problem: problem, Error: problem}
	}
	update := Decision{Action: ActionUpdate}
	tests := map[string]struct {
		in    Input
		want  Decision
		gated bool
	}{
		"always":                   {drifted(always, differs), update, false},
		"another manifest":         {Input{Live: live, Owned: true, Strategy: partial, Comparison: differs}, update, false},
		"not ours":                 {Input{Live: live, Strategy: partial, SameManifest: true, Comparison: differs}, update, false},
		"no object":                {Input{Owned: true, Strategy: partial, SameManifest: true}, update, false},
		"not known yet":            {drifted(partial, nil), failed(unknownText), true},
		"no drift":                 {drifted(partial, same), update, true},
		"drifts":                   {drifted(partial, differs), found, true},
		"drifts, compared in full": {drifted(full, differs), found, true},
		"drifts in degraded mode": {
			drifted(partial, degraded), leaveDrifted(ObstacleDegradedDifferences, "FoundDriftsInDegradedMode", degradedProblem, driftsText+" in degraded mode ("+degradedProblem+")"), true,
		},
		"no drift in degraded mode":        {drifted(partial, &diff.Comparison{Degraded: true}), update, true},
		"no comparison":                    {drifted(partial, failedComparison("denied")), failed(driftError + "failed to apply the manifest in dry-run mode: denied"), true},
		"no comparison, without a dry run": {drifted(full, failedComparison("odd")), failed(driftError + "odd"), true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := DecideDrift(tt.in)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if tt.want.Error != "" && got.Message() != appliedMessage(tt.want.Error) {
				t.Errorf("got %s", got.Message())
			}
			if tt.in.GatedByDrift() != tt.gated {
				t.Errorf("gated by drift: %t", !tt.gated)
			}
		})
	}
}
