package report

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// Removal tells what the removal of a placement would do: one warning, with what is deleted first, and nothing if no object is left.
func Removal(diags *diag.Diagnostics, preview *engine.Preview) {
	clusters := clusterSection(preview, removalText)
	if len(clusters.blocks) == 0 {
		return
	}
	counts, found, held := count(preview), findings(preview), holding(preview)
	summary := fmt.Sprintf("Placement %q (%s) will be removed: %s", preview.Placement, plural(held, "cluster"), counts.summary(asIs))
	if held == 0 {
		summary = fmt.Sprintf("Placement %q will be removed: %s NOT CHECKED", preview.Placement, plural(counts.offline, "cluster"))
	}
	diags.AddAttributeWarning(path.Root("name"), summary,
		layout([]*section{
			objectSection(found[takeover.ActionPrune], "DELETED:", 20, (*finding).deleted),
			objectSection(found[takeover.ActionOrphan], "Left on the cluster, because they were there before the placement, are not only its own by now, "+
				"or are to be abandoned:", 12, (*finding).released),
			objectSection(found[takeover.ActionUnknown], "To be removed, and could not be looked at:", 6, (*finding).unknown),
			clusters,
		}, maxLines))
}

// holding counts the clusters that have objects of the placement.
func holding(preview *engine.Preview) int {
	n := 0
	for _, cluster := range preview.Clusters {
		if tally(cluster) != "" {
			n++
		}
	}
	return n
}

// removalText says what a removal does on a cluster.
func removalText(cluster engine.ClusterPreview) string {
	if cluster.Err != nil {
		return "NOT CHECKED. " + plain(cluster.Err.Error(), maxMessage)
	}
	return tally(cluster)
}
