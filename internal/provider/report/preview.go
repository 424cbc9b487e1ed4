package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/printable"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/plain"
)

// Preview reports what an apply would do. It returns the changes. It adds one warning if a person has to weigh something, or if the plan does not show the changes.
// If plan.Refuse is set and objects are not taken over, it adds an error instead. Without this error, it also adds a warning for each of preview.Dangers.
func Preview(diags *diag.Diagnostics, preview *engine.Preview, plan Plan) (changes string) {
	r := plan.report(preview)
	changes = plain.Changes(r, plan.Shown)
	refused := plan.Refuse && r.Counts.Of[takeover.ActionLeaveAlone] > 0
	if !refused && !r.NeedsWarning() && (plan.Shown || changes == "") {
		warnOfDangers(diags, preview)
		return changes
	}
	summary := fmt.Sprintf("Placement %q (%s): %s", r.Placement, words.Count(r.Counts.Clusters, "cluster"), r.Counts.Summary(asIs))
	if plan.Unfinished.explains(preview) {
		summary += "; the last apply is not complete"
	}
	text := writeDetail(r, preview, plan, changes)
	if refused {
		diags.AddAttributeError(path.Root("on_takeover_conflict"), summary,
			text+"\n\non_takeover_conflict is \"Error\", so nothing will be applied."+HoldsUpDestroy)
		return changes
	}
	diags.AddAttributeWarning(path.Root("name"), summary, text)
	warnOfDangers(diags, preview)
	return changes
}

func writeDetail(r *model.Report, preview *engine.Preview, plan Plan, changes string) string {
	var sections []*plain.Section
	if plan.Unfinished.explains(preview) {
		sections = append(sections, plan.Unfinished.beside(r).section(resumeTitle))
	}
	if !plan.Shown && changes != "" {
		shown := &plain.Section{Title: "Changes:", Unit: "line", Reserve: 8}
		for line := range strings.SplitSeq(changes, "\n") {
			shown.Add("  " + line)
		}
		sections = append(sections, shown)
	}
	sections = append(sections, plain.Objects(r)...)
	all := r.IsNowhere() || !r.Fulfilled || plan.Unfinished.isNowhere || !r.Selects || !r.Complete
	sections = append(sections, plain.Clusters(r, plan.first, func(c *model.Cluster) bool {
		return all || c.Problem != "" || c.Unchecked || c.RecordLost || !c.Picked && c.Weighs
	}), noteSection(r, plan))
	paragraphs := []string{plain.Layout(sections...)}
	for _, pieces := range r.Advice {
		paragraphs = append(paragraphs, strings.Join(slices.DeleteFunc(slices.Clone(pieces), func(piece string) bool { return !plan.first(piece) }), " "))
	}
	return strings.Join(slices.DeleteFunc(paragraphs, func(text string) bool { return text == "" }), "\n\n")
}

func noteSection(r *model.Report, plan Plan) *plain.Section {
	out := &plain.Section{Unit: "note", Reserve: 4}
	for _, note := range r.Remarks {
		if plan.first(note) {
			out.Add(note)
		}
	}
	if r.Blocked {
		out.Add(r.Rollout)
	}
	for _, note := range r.Cautions {
		out.Add(note)
	}
	return out
}

// Changes returns what an apply changes, without a warning.
func Changes(preview *engine.Preview, plan Plan) string {
	return plain.Changes(plan.report(preview), plan.Shown)
}

// NoChange returns the text of the changes for an apply that writes no object, but only records or the hub's placement. It returns "" if the preview is not
// complete.
func NoChange(preview *engine.Preview) string {
	if preview == nil || len(preview.Unknown) > 0 || slices.ContainsFunc(preview.Clusters, func(c engine.ClusterPreview) bool { return c.Err != nil }) {
		return ""
	}
	return plain.Unchanged(Plan{}.report(preview))
}

func warnOfDangers(diags *diag.Diagnostics, preview *engine.Preview) {
	for _, danger := range preview.Dangers {
		diags.AddAttributeWarning(convert.Root(danger.Path), fmt.Sprintf("Placement %q: %s", model.Name(preview.Placement), danger.Title),
			printable.Cut(danger.Message, maxError))
	}
}

// UncheckedClusters adds an error for each cluster that could not be checked, as the preview mode "Required" asks for. A cluster that is assumed to be
// unreachable is not an error.
func UncheckedClusters(diags *diag.Diagnostics, preview *engine.Preview) {
	for _, cluster := range preview.Clusters {
		if cluster.Err != nil && !engine.IsAssumed(cluster.Err, engine.AssumeUnreachable) {
			diags.AddAttributeError(path.Root("name"), "Cluster \""+model.Name(cluster.Name)+"\" could not be previewed",
				model.About(cluster.Name, cluster.Err.Error())+
					"\n\nThe provider argument preview is \"Required\", so the plan stops here."+HoldsUpDestroy)
		}
	}
}

// Immutable adds an error for each change of an immutable argument.
func Immutable(diags *diag.Diagnostics, what string, problems []placement.Problem) {
	for _, problem := range problems {
		diags.AddAttributeError(convert.Root(problem.Path), "Immutable argument of "+what+" changed", problem.String()+"."+HoldsUpDestroy)
	}
}

// Limitations adds an error for each argument that the engine does not support, or a warning if the value is stored without effect.
func Limitations(diags *diag.Diagnostics, found []engine.Limitation) {
	for _, limitation := range found {
		if limitation.Ignored {
			diags.AddAttributeWarning(convert.Root(limitation.Path), "Without effect in this engine: "+limitation.Path.String(),
				printable.Cut(limitation.Message, maxError))
			continue
		}
		title := cmp.Or(model.Name(limitation.Title), "Not supported by this engine: "+limitation.Path.String())
		diags.AddAttributeError(convert.Root(limitation.Path), title, printable.Cut(limitation.Message, maxError))
	}
}

func asIs(name string) string { return name }
