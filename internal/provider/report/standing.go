package report

import (
	"fmt"
	"maps"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Standing tells which clusters a placement is not available on, and the objects that are the reason: what follows a message that it has not
// become what it should. It is empty if there is nothing to tell.
func Standing(summary placement.Summary) string {
	var text lines
	for _, cluster := range slices.Sorted(maps.Keys(summary.PlacementStatuses)) {
		switch phase := summary.PlacementStatuses[cluster]; phase {
		case placement.PhaseAvailable, placement.PhaseDiffReported:
		case placement.PhaseApplied, placement.PhaseUnreachable, placement.PhaseScheduleFailed, placement.PhaseRolloutNotStarted,
			placement.PhaseOverriddenFailed, placement.PhaseApplyPending, placement.PhaseNotApplied, placement.PhaseNotAvailable,
			placement.PhaseDiffNotReported:
			text.add("  %s: %s", cluster, phase)
		default: // a reason that only a hub gives
			text.add("  %s: %s", cluster, phase)
		}
	}
	for _, failed := range summary.FailedPlacements {
		text.add("  %s", failed)
	}
	if len(text.text) == 0 {
		return ""
	}
	return fmt.Sprintf("\n\nNot available:\n%s", text.String())
}
