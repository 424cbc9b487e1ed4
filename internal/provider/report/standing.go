package report

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

// Standing warns of a placement for which an apply has nothing to do, as far as is known: of the clusters that could not be checked, of what the hub
// could not complete, and of workloads that lack an object. It says nothing where there is neither.
func Standing(diags *diag.Diagnostics, preview *engine.Preview, unfinished Unfinished) {
	if unfinished.Any() {
		incomplete(diags, preview, unfinished)
	}
	counts := count(preview)
	if counts.missing > 0 {
		diags.AddAttributeWarning(path.Root("name"), fmt.Sprintf("Placement %q: %s not available", plain(preview.Placement, maxName),
			plural(counts.missing, "workload")), layout([]*section{missingSection(preview)})+"\n\n"+missingNext)
	}
	offline := counts.offline
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

// incomplete warns of a placement that its hub could not complete, and that no apply completes either.
func incomplete(diags *diag.Diagnostics, preview *engine.Preview, unfinished Unfinished) {
	sections, retry := []*section{unfinished.section("The hub reports:")}, " The hub and the agents of the members retry on their own."
	if unfinished.nowhere {
		sections = append(sections, clusterSection(preview, func(cluster engine.ClusterPreview) string { return applyText(cluster, false) }))
		retry = ""
	}
	diags.AddAttributeWarning(path.Root("name"), fmt.Sprintf("Placement %q is not complete on its hub", plain(preview.Placement, maxName)), layout(sections)+
		"\n\nAn apply has nothing to write."+retry+" Fix the cause on the cluster, or change the placed object or the placement.")
}
