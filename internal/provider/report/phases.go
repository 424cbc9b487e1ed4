package report

import (
	"fmt"
	"maps"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Phases tells which clusters a placement is not available on, and the objects that are the reason: what follows a message that it has not
// become what it should. It is empty if there is nothing to tell.
func Phases(summary placement.Summary) string {
	clusters, objects := &section{title: "Not available:", what: "cluster"}, &section{title: "Objects:", what: "line"}
	for _, cluster := range slices.Sorted(maps.Keys(summary.Phases)) {
		if phase := summary.Phases[cluster]; phase != placement.PhaseAvailable && phase != placement.PhaseDiffReported {
			clusters.add(fmt.Sprintf("  %s: %s", cluster, phase))
		}
	}
	for _, failed := range summary.FailedPlacements {
		objects.add("  " + failed)
	}
	return layout([]*section{clusters, objects})
}
