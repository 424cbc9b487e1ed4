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
		"always":                           {Input{Live: live, Owned: true, Strategy: always, SameManifest: true, Comparison: differs}, update},
		"another manifest, case 14":        {Input{Live: live, Owned: true, Strategy: partial, Comparison: differs}, update},
		"not known yet":                    {Input{Live: live, Owned: true, Strategy: partial, SameManifest: true}, Decision{Action: ActionNeedsComparison}},
		"no drift":                         {Input{Live: live, Owned: true, Strategy: partial, SameManifest: true, Comparison: equal}, update},
		"drifts, case 13":                  {Input{Live: live, Owned: true, Strategy: partial, SameManifest: true, Comparison: differs}, refused("FoundDrifts", driftsText, one)},
		"drifts, case 44":                  {Input{Live: live, Owned: true, Strategy: full, SameManifest: true, Comparison: differs}, refused("FoundDrifts", driftsText, one)},
		"drifts in degraded mode":          {Input{Live: live, Owned: true, Strategy: partial, SameManifest: true, Comparison: degraded}, refused("FoundDriftsInDegradedMode", driftsText+" in degraded mode (full comparison is performed instead of partial comparison, as the manifest object is considered to be invalid by the member cluster API server)", one)},
		"no drift in degraded mode":        {Input{Live: live, Owned: true, Strategy: partial, SameManifest: true, Comparison: &diff.Comparison{Degraded: true}}, update},
		"no comparison":                    {Input{Live: live, Owned: true, Strategy: partial, SameManifest: true, Comparison: failing("denied")}, refused("FailedToRunDriftDetection", driftError+"failed to apply the manifest in dry-run mode: denied", nil)},
		"no comparison, without a dry run": {Input{Live: live, Owned: true, Strategy: full, SameManifest: true, Comparison: failing("odd")}, refused("FailedToRunDriftDetection", driftError+"odd", nil)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, DecideDrift(tt.in)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
