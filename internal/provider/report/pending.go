package report

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/plain"
)

// Pending warns about a placement for which an apply has nothing to do, if the hub could not complete some objects, or workloads lack an object. It returns the
// clusters that could not be checked, for [NotChecked].
func Pending(diags *diag.Diagnostics, preview *engine.Preview, plan Plan) Unchecked {
	r := plan.report(preview)
	if plan.Unfinished.Any() {
		warnOfIncomplete(diags, r, plan)
	}
	if missing := r.Counts.Missing.N; missing > 0 {
		diags.AddAttributeWarning(path.Root("name"), fmt.Sprintf("Placement %q: %s not available", r.Placement,
			words.Count(missing, "workload")), plain.Layout(plain.Missing(r))+plan.advise(missingNext))
	}
	var out Unchecked
	for _, c := range r.Clusters {
		if c.Unchecked {
			out.clusters = append(out.clusters, c.Name)
		}
	}
	if out.Any() {
		out.lines = plain.ClusterLines(r, func(c *model.Cluster) bool { return c.Unchecked || c.Err == "" && !c.Picked })
	}
	return out
}

// Unchecked are the clusters of a placement that could not be checked. The zero value is a placement without such clusters.
type Unchecked struct {
	clusters []string
	lines    []*plain.ClusterLine
}

// Any reports whether any cluster could not be checked.
func (u Unchecked) Any() bool { return len(u.clusters) > 0 }

// NotChecked adds one warning about the clusters that could not be checked, for all placements that have nothing else to report. An outage of a cluster is one
// event, however many placements the cluster has.
func NotChecked(diags *diag.Diagnostics, placements map[string]Unchecked, first func(text string) bool) {
	if len(placements) == 0 {
		return
	}
	names, clusters := slices.Sorted(maps.Keys(placements)), map[string]bool{}
	var lines []*plain.ClusterLine
	placementsOf := map[string][]string{} // by [plain.ClusterLine.Key]
	for _, name := range names {
		for _, cluster := range placements[name].clusters {
			clusters[cluster] = true
		}
		for _, line := range placements[name].lines {
			if placementsOf[line.Key()] == nil {
				lines = append(lines, line)
			}
			placementsOf[line.Key()] = append(placementsOf[line.Key()], name)
		}
	}
	shown := &plain.Section{Title: "Clusters:", Unit: "line", Reserve: 12}
	for _, line := range lines {
		text := "  " + words.List(line.Names, model.MaxClusters) + ": " + line.Text(first)
		if len(names) > 1 {
			noun := "placements "
			if len(placementsOf[line.Key()]) == 1 {
				noun = "placement "
			}
			text += plain.Bracketed(noun + words.List(model.Names(placementsOf[line.Key()]), maxNamed))
		}
		shown.Add(text)
	}
	what, text := fmt.Sprintf("Placement %q", model.Name(names[0])), plain.Layout(shown)
	if len(names) > 1 {
		what = words.Count(len(names), "placement")
	}
	const remain = "Objects on a cluster that could not be checked remain there, and their state is not known."
	if first(remain) {
		text += "\n\n" + remain
	}
	diags.AddAttributeWarning(path.Root("name"), what+": "+words.Count(len(clusters), "cluster")+" could not be checked", text)
}

// warnOfIncomplete warns about a placement that the hub has not completed, and for which an apply has nothing to write.
func warnOfIncomplete(diags *diag.Diagnostics, r *model.Report, plan Plan) {
	sections, retry := []*plain.Section{plan.Unfinished.section("The hub reports:")}, " The hub and the agents of the members retry on their own."
	if plan.Unfinished.isNowhere {
		sections = append(sections, plain.Clusters(r, plan.first, func(*model.Cluster) bool { return true }))
		retry = ""
	}
	diags.AddAttributeWarning(path.Root("name"), fmt.Sprintf("Placement %q is not complete on its hub", r.Placement), plain.Layout(sections...)+
		plan.advise("An apply has nothing to write."+retry+" Fix the cause on the cluster, or change the placed object or the placement."))
}
