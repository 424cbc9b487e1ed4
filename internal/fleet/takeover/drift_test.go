package takeover

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

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

// TestDecideDrift has the cases of section 3.2 of reference/kubefleet-apply-takeover.md, as far as they come before the apply.
func TestDecideDrift(t *testing.T) {
	always, partial, full := gate("Always", placement.FullComparison), gate(placement.ApplyIfNotDrifted, placement.PartialComparison), gate(placement.ApplyIfNotDrifted, placement.FullComparison)
	refused := func(reason, problem string, differences []Difference) Decision {
		return Decision{Action: ActionRefuse, Reason: reason, Message: wrapped(problem), Differences: differences}
	}
	update := Decision{Action: ActionUpdate}
	tests := map[string]struct {
		in   DriftInput
		want Decision
	}{
		"always":                           {DriftInput{Strategy: always, SameManifest: true, Compared: true, Differences: one}, update},
		"another manifest, case 14":        {DriftInput{Strategy: partial, Compared: true, Differences: one}, update},
		"not known yet":                    {DriftInput{Strategy: partial, SameManifest: true}, Decision{Action: ActionNeedsComparison}},
		"no drift":                         {DriftInput{Strategy: partial, SameManifest: true, Compared: true}, update},
		"drifts, case 13":                  {DriftInput{Strategy: partial, SameManifest: true, Compared: true, Differences: one}, refused("FoundDrifts", driftsText, one)},
		"drifts, case 44":                  {DriftInput{Strategy: full, SameManifest: true, Compared: true, Differences: one}, refused("FoundDrifts", driftsText, one)},
		"drifts in degraded mode":          {DriftInput{Strategy: partial, SameManifest: true, Compared: true, Degraded: true, Differences: one}, refused("FoundDriftsInDegradedMode", driftsText+" in degraded mode (full comparison is performed instead of partial comparison, as the manifest object is considered to be invalid by the member cluster API server)", one)},
		"no drift in degraded mode":        {DriftInput{Strategy: partial, SameManifest: true, Compared: true, Degraded: true}, update},
		"no comparison":                    {DriftInput{Strategy: partial, SameManifest: true, Compared: true, CompareErr: errors.New("denied")}, refused("FailedToRunDriftDetection", driftError+"failed to apply the manifest in dry-run mode: denied", nil)},
		"no comparison, without a dry run": {DriftInput{Strategy: full, SameManifest: true, Compared: true, CompareErr: errors.New("odd")}, refused("FailedToRunDriftDetection", driftError+"odd", nil)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, DecideDrift(tt.in)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestDecideApplied has the cases after the apply.
func TestDecideApplied(t *testing.T) {
	partial, full := gate("Always", placement.PartialComparison), gate("Always", placement.FullComparison)
	const message = "Manifest has been applied successfully"
	tests := map[string]struct {
		in   DriftInput
		want Applied
	}{
		"partial, case 12": {DriftInput{Strategy: partial, Compared: true, Differences: one}, Applied{Reason: "Applied", Message: message}},
		"full":             {DriftInput{Strategy: full, Compared: true}, Applied{Reason: "Applied", Message: message}},
		"full, case 43":    {DriftInput{Strategy: full, Compared: true, Differences: one}, Applied{Reason: "Applied", Message: message, Drifts: one}},
		"not known yet":    {DriftInput{Strategy: full}, Applied{NeedsComparison: true}},
		"no comparison": {
			DriftInput{Strategy: full, Compared: true, CompareErr: errors.New("odd")},
			Applied{Reason: "AppliedWithFailedDriftDetection", Message: "AppliedWithFailedDriftDetection"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, DecideApplied(tt.in)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
