package report

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

// Standing warns of a placement for which an apply has nothing to do, as far as is known: of the clusters that could not be checked, of what the hub
// could not complete, and of workloads that lack an object. It says nothing where there is neither.
func Standing(diags *diag.Diagnostics, preview *engine.Preview, plan Plan) {
	if plan.Unfinished.Any() {
		incomplete(diags, preview, plan)
	}
	counts := count(preview)
	if counts.missing > 0 {
		diags.AddAttributeWarning(path.Root("name"), fmt.Sprintf("Placement %q: %s not available", plain(preview.Placement, maxName),
			plural(counts.missing, "workload")), layout([]*section{missingSection(preview)})+plan.advise(missingNext))
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
	detail += plan.advise("Objects on a cluster that could not be checked remain there, and what has become of them is not known.")
	diags.AddAttributeWarning(path.Root("name"), fmt.Sprintf("Placement %q: %s could not be checked", plain(preview.Placement, maxName),
		plural(offline, "cluster")), detail)
}

// incomplete warns of a placement that its hub could not complete, and that no apply completes either.
func incomplete(diags *diag.Diagnostics, preview *engine.Preview, plan Plan) {
	sections, retry := []*section{plan.Unfinished.section("The hub reports:")}, " The hub and the agents of the members retry on their own."
	if plan.Unfinished.nowhere {
		sections = append(sections, clusterSection(preview, func(cluster engine.ClusterPreview) string { return applyText(cluster, false) }))
		retry = ""
	}
	diags.AddAttributeWarning(path.Root("name"), fmt.Sprintf("Placement %q is not complete on its hub", plain(preview.Placement, maxName)), layout(sections)+
		plan.advise("An apply has nothing to write."+retry+" Fix the cause on the cluster, or change the placed object or the placement."))
}
