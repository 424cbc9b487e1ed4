package report

import (
	"fmt"
	"maps"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/plain"
)

// Phases tells which clusters a placement is not available on, and the objects that are the reason: what follows a message that it has not
// become what it should. It is empty if there is nothing to tell.
func Phases(summary placement.Summary) string {
	clusters, objects := &plain.Section{Title: "Not available:", Unit: "cluster"}, &plain.Section{Title: "Objects:", Unit: "line"}
	for _, cluster := range slices.Sorted(maps.Keys(summary.Phases)) {
		if phase := summary.Phases[cluster]; phase != placement.PhaseAvailable && phase != placement.PhaseDiffReported {
			clusters.Add(fmt.Sprintf("  %s: %s", cluster, phase))
		}
	}
	for _, failed := range summary.FailedPlacements {
		objects.Add("  " + failed)
	}
	return plain.Layout(clusters, objects)
}
