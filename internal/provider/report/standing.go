package report

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
)

// Standing warns of a placement for which an apply has nothing to do, as far as is known: of objects that the hub could not complete, and of workloads that lack
// an object. It returns the clusters that could not be checked; [NotChecked] warns of those of all placements of a run.
func Standing(diags *diag.Diagnostics, preview *engine.Preview, plan Plan) Unchecked {
	if plan.Unfinished.Any() {
		incomplete(diags, preview, plan)
	}
	if missing := count(preview).missing; missing > 0 {
		diags.AddAttributeWarning(path.Root("name"), fmt.Sprintf("Placement %q: %s not available", plain(preview.Placement, maxName),
			words.Count(missing, "workload")), layout([]*section{missingSection(preview)})+plan.advise(missingNext))
	}
	var out Unchecked
	for _, cluster := range preview.Clusters {
		if plan.isUnchecked(cluster) {
			out.clusters = append(out.clusters, cluster.Name)
		}
	}
	if !out.Any() {
		return out
	}
	out.lines = clusterLines(preview, func(cluster engine.ClusterPreview) clusterText {
		if cluster.Err == nil && cluster.Picked || cluster.Err != nil && !plan.isUnchecked(cluster) {
			return clusterText{}
		}
		return applyText(cluster, false)
	})
	return out
}

// Unchecked are the clusters of a placement that could not be checked. The zero value is a placement without such clusters.
type Unchecked struct {
	clusters []string
	lines    []*clusterLine
}

// Any reports whether there are any.
func (u Unchecked) Any() bool { return len(u.clusters) > 0 }

// NotChecked warns of the clusters that could not be checked for placements that have nothing else to report. One warning has all of them: an outage of a cluster is
// one event, however many placements it has.
func NotChecked(diags *diag.Diagnostics, placements map[string]Unchecked, first func(text string) bool) {
	if len(placements) == 0 {
		return
	}
	names, clusters := slices.Sorted(maps.Keys(placements)), map[string]bool{}
	var lines []*clusterLine
	of := map[string][]string{} // the placements of a line
	for _, name := range names {
		for _, cluster := range placements[name].clusters {
			clusters[cluster] = true
		}
		for _, line := range placements[name].lines {
			if of[line.key()] == nil {
				lines = append(lines, line)
			}
			of[line.key()] = append(of[line.key()], name)
		}
	}
	shown := &section{title: "Clusters:", what: "line", reserve: 12}
	for _, line := range lines {
		text := "  " + words.List(line.names, maxClusters) + ": " + line.withMessage(line.names, first)
		if len(names) > 1 {
			noun := "placements "
			if len(of[line.key()]) == 1 {
				noun = "placement "
			}
			text += bracketed(noun + words.List(plainAll(of[line.key()]), maxNamed))
		}
		shown.add(text)
	}
	what, text := fmt.Sprintf("Placement %q", plain(names[0], maxName)), layout([]*section{shown})
	if len(names) > 1 {
		what = words.Count(len(names), "placement")
	}
	const remain = "Objects on a cluster that could not be checked remain there, and their state is not known."
	if first(remain) {
		text += "\n\n" + remain
	}
	diags.AddAttributeWarning(path.Root("name"), what+": "+words.Count(len(clusters), "cluster")+" could not be checked", text)
}

// incomplete warns of a placement that its hub could not complete, and that no apply completes either.
func incomplete(diags *diag.Diagnostics, preview *engine.Preview, plan Plan) {
	sections, retry := []*section{plan.Unfinished.section("The hub reports:")}, " The hub and the agents of the members retry on their own."
	if plan.Unfinished.nowhere {
		sections = append(sections, clusterSection(preview, plan.first, func(cluster engine.ClusterPreview) clusterText { return applyText(cluster, false) }))
		retry = ""
	}
	diags.AddAttributeWarning(path.Root("name"), fmt.Sprintf("Placement %q is not complete on its hub", plain(preview.Placement, maxName)), layout(sections)+
		plan.advise("An apply has nothing to write."+retry+" Fix the cause on the cluster, or change the placed object or the placement."))
}
