package report

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

// Standing tells what is not well with a placement though an apply has nothing to do: it is on no cluster, or there are clusters that could
// not be looked at. It says nothing of one that is well.
func Standing(diags *diag.Diagnostics, preview *engine.Preview) {
	counts := count(preview)
	text := ""
	switch {
	case counts.clusters == 0:
		text = "it is on no cluster"
		if counts.offline > 0 {
			text += fmt.Sprintf(", and %s could not be looked at", plural(counts.offline, "cluster"))
		}
	case counts.offline > 0:
		text = fmt.Sprintf("%s could not be looked at", plural(counts.offline, "cluster"))
	default:
		return
	}
	detail := layout([]*section{clusterSection(preview, func(cluster engine.ClusterPreview) string {
		if cluster.Err == nil && cluster.Picked {
			return ""
		}
		return applyText(cluster, false)
	})}, maxLines)
	if counts.clusters == 0 {
		detail += "\n\nA cluster joins the fleet with a fleet_member_cluster; the policy picks among those that have."
	}
	if counts.offline > 0 {
		detail += "\n\nWhat is on a cluster that cannot be looked at is not known; what was placed there stays."
	}
	diags.AddAttributeWarning(path.Root("name"), fmt.Sprintf("Placement %q: %s", plain(preview.Placement, maxName), text), detail)
}
