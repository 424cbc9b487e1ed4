package report

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/printable"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/plain"
)

// RefusedSince warns about objects that the strategy leaves unchanged according to the current status, and that the earlier status does not list with the same
// reason. No plan has shown them, and no apply changes them.
func RefusedSince(diags *diag.Diagnostics, name string, before, now placement.Status) {
	found, n := &missedObjects{}, 0
	now = now.Remembered() // the earlier status was reduced in the same way, so objects that it lacks are new
	for _, cluster := range slices.Sorted(maps.Keys(now.Clusters)) {
		known := before.Clusters[cluster].FailedPlacements
		for _, failed := range now.Clusters[cluster].FailedPlacements {
			isKnown := slices.ContainsFunc(known, func(f placement.FailedPlacement) bool {
				return f.Key() == failed.Key() && f.Condition.Reason == failed.Condition.Reason
			})
			if failed.Condition.Type != placement.Applied || !isLeft(failed.Condition.Reason) || isKnown {
				continue
			}
			n++
			found.add(engine.ObjectResult{Cluster: cluster, Identifier: failed.Identifier, Failure: &failed.Condition})
		}
	}
	if n == 0 {
		return
	}
	diags.AddAttributeWarning(path.Root("name"), fmt.Sprintf("Placement %q: %s not taken over since the last apply", model.Name(name),
		words.Count(n, "object")), plain.Layout(found.section("", 1))+"\n\nWith this strategy, no apply changes them. Make the placed object equal to the "+
		"one on the cluster, delete that object, or change strategy.apply_strategy.")
}

// Phases lists the clusters on which a placement is not available, and the objects that are the reason. It is "" without such clusters and objects.
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

// Withheld warns about the values and messages that a status lacks. It adds nothing if withheld is nil.
func Withheld(diags *diag.Diagnostics, name string, withheld *engine.Withheld) {
	if withheld == nil {
		return
	}
	cause := ""
	if withheld.Err != nil {
		cause = ": " + model.Message(withheld.Err.Error())
	}
	diags.AddAttributeWarning(path.Root("name"), fmt.Sprintf("Placement %q: values in the status are withheld", model.Name(name)), fmt.Sprintf(
		"The status lacks messages, and values of differences, about %s. They may quote sensitive values of overrides, and the overrides on the hub could not be read%s. "+
			"Fix this, for example by granting the right to list the overrides, and refresh.",
		printable.Cut(engine.Some(withheld.About), maxError), cause))
}
