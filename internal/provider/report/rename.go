package report

import (
	"fmt"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
)

// renaming describes a rename in place; "" if no cluster that was checked has the placement under another name.
func renaming(preview *engine.Preview) string {
	var names []string
	clusters, unchecked, runs := 0, 0, "objects keep running, "
	for _, cluster := range preview.Clusters {
		for _, name := range cluster.FormerNames {
			names = append(names, plain(name, maxName))
		}
		if len(cluster.FormerNames) > 0 {
			clusters++
		}
		if cluster.Err != nil {
			unchecked++
		}
		if slices.ContainsFunc(cluster.Objects, func(o engine.ObjectPreview) bool {
			return o.Action == takeover.ActionPrune || o.Action == takeover.ActionReplace
		}) {
			runs = "" // the plan deletes some of them, and names those
		}
	}
	if clusters == 0 {
		return ""
	}
	slices.Sort(names)
	text := fmt.Sprintf("Placement %s is renamed to %s: %srecords and labels on %s are updated.", words.List(slices.Compact(names), maxClusters),
		plain(preview.Placement, maxName), runs, words.Count(clusters, "cluster"))
	if unchecked > 0 {
		text += fmt.Sprintf(" If the placement is on %s that could not be checked, the apply that reaches it renames it there.", words.Count(unchecked, "cluster"))
	}
	return text
}
