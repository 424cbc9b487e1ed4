package report

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

// Standing tells of the clusters that could not be looked at though an apply has nothing to do, as far as is known. It says nothing where
// there are none.
func Standing(diags *diag.Diagnostics, preview *engine.Preview) {
	offline := count(preview).offline
	if offline == 0 {
		return
	}
	detail := layout([]*section{clusterSection(preview, func(cluster engine.ClusterPreview) string {
		if cluster.Err == nil && cluster.Picked {
			return ""
		}
		return applyText(cluster, false)
	})})
	detail += "\n\nWhat is on a cluster that cannot be looked at is not known; what was placed there stays."
	diags.AddAttributeWarning(path.Root("name"), fmt.Sprintf("Placement %q: %s could not be looked at", plain(preview.Placement, maxName),
		plural(offline, "cluster")), detail)
}
