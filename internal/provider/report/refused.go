package report

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/plain"
)

// RefusedSince tells of the objects that a status says are left as they are and an earlier one, of which what is remembered is known, did not: no
// plan has anything to do about them, and none has told of them yet.
func RefusedSince(diags *diag.Diagnostics, name string, before, now placement.Status) {
	found, n := &missed{}, 0
	now = now.Remembered() // so that what was not remembered is no news
	for _, cluster := range slices.Sorted(maps.Keys(now.Clusters)) {
		known := before.Clusters[cluster].FailedPlacements
		for _, failed := range now.Clusters[cluster].FailedPlacements {
			told := slices.ContainsFunc(known, func(f placement.FailedPlacement) bool {
				return f.Key() == failed.Key() && f.Condition.Reason == failed.Condition.Reason
			})
			if failed.Condition.Type != placement.Applied || !isLeft(failed.Condition.Reason) || told {
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
		words.Count(n, "object")), plain.Layout(found.section("", 1))+"\n\nThe strategy says so, so that no apply changes it. Make the placed object equal "+
		"to the one on the cluster, remove that one, or change strategy.apply_strategy.")
}
