package report

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/selection"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
)

const (
	// maxLines is how long a warning may be, the advice at its end apart; what is left out is counted.
	maxLines = 50
	// maxDifferences is how many fields of one object are shown.
	maxDifferences = 4
	// maxClusters is how many clusters are named before the rest is counted, maxSteps how many steps of a rollout.
	maxClusters = 3
	maxSteps    = 5
)

// Preview tells what an apply would do: one warning, with the conflicts first. With refuse, objects that exist already and will not be
// taken over are an error. unfinished is what the last apply has left to do.
func Preview(diags *diag.Diagnostics, preview *engine.Preview, strategy placement.ApplyStrategy, unfinished Unfinished, refuse bool) {
	counts := count(preview)
	counts.countDrifts(preview, strategy)
	summary := fmt.Sprintf("Placement %q (%s): %s", plain(preview.Placement, maxName), plural(counts.clusters, "cluster"), counts.summary(asIs))
	var first []*section
	if unfinished.explains(preview) {
		summary += "; the last apply is not complete"
		first = append(first, unfinished.section(goesOn))
	}
	if text := renaming(preview); text != "" {
		line := &section{what: "line", reserve: 2}
		line.add(text)
		first = append([]*section{line}, first...)
	}
	text := detail(preview, counts, strategy, first...)
	if refuse && counts.of[takeover.ActionLeaveAlone] > 0 {
		diags.AddAttributeError(path.Root("on_takeover_conflict"), summary,
			text+"\n\non_takeover_conflict is \"error\", so nothing will be applied."+HoldsUpDestroy)
		return
	}
	diags.AddAttributeWarning(path.Root("name"), summary, text)
	dangers(diags, preview)
}

// dangers tells each at the attribute that causes it.
func dangers(diags *diag.Diagnostics, preview *engine.Preview) {
	for _, danger := range preview.Dangers {
		diags.AddAttributeWarning(convert.Root(danger.Path), fmt.Sprintf("Placement %q: %s", plain(preview.Placement, maxName), danger.Title),
			plain(danger.Message, maxError))
	}
}

// Unlooked makes every cluster that could not be looked at an error, as the preview mode "required" wants it.
func Unlooked(diags *diag.Diagnostics, preview *engine.Preview) {
	for _, cluster := range preview.Clusters {
		if cluster.Err != nil {
			diags.AddAttributeError(path.Root("name"), "Cluster \""+plain(cluster.Name, maxName)+"\" could not be previewed",
				plain(impersonal(cluster.Err.Error(), cluster.Name), maxMessage)+
					"\n\nThe provider argument preview is \"required\", so the plan stops here."+HoldsUpDestroy)
		}
	}
}

// Immutable makes each change that what is changed does not allow an error.
func Immutable(diags *diag.Diagnostics, what string, problems []placement.Problem) {
	for _, problem := range problems {
		diags.AddAttributeError(convert.Root(problem.Path), "Immutable argument of "+what+" changed", problem.String()+"."+HoldsUpDestroy)
	}
}

// Limitations tells what the engine cannot express, at the attribute that asks for it: as an error, or as a warning where the value is kept.
func Limitations(diags *diag.Diagnostics, found []engine.Limitation) {
	for _, limitation := range found {
		if limitation.Ignored {
			diags.AddAttributeWarning(convert.Root(limitation.Path), "Without effect in this engine: "+limitation.Path.String(),
				plain(limitation.Message, maxError))
			continue
		}
		diags.AddAttributeError(convert.Root(limitation.Path), "Not supported by this engine: "+limitation.Path.String(),
			plain(limitation.Message, maxError))
	}
}

func asIs(name string) string { return name }

// takeoverMode says what becomes of objects that exist already, where none was found and one may be yet. Otherwise what becomes of those that
// were found says it.
func takeoverMode(counts counts, strategy placement.ApplyStrategy) string {
	met := counts.of[takeover.ActionTakeOver] + counts.of[takeover.ActionLeaveAlone] + counts.of[takeover.ActionReport]
	if met > 0 || counts.of[takeover.ActionCreate]+counts.offline == 0 {
		return ""
	}
	if strategy.Type == placement.ReportDiff {
		return "Nothing is written (type = \"ReportDiff\")."
	}
	does := ""
	switch strategy.WhenToTakeOver {
	case placement.TakeOverAlways:
		does = "are taken over and overwritten"
	case placement.TakeOverIfNoDiff:
		does = "are taken over if they do not differ"
	case placement.TakeOverNever:
		does = "are left alone"
	}
	return fmt.Sprintf("Objects that exist already %s (when_to_take_over = %q).", does, strategy.WhenToTakeOver)
}

// detail is the body of the warning, behind the sections that come first.
func detail(preview *engine.Preview, counts counts, strategy placement.ApplyStrategy, sections ...*section) string {
	scored := scores(preview)
	clusters := clusterSection(preview, func(c engine.ClusterPreview) string { return applyText(c, scored) })
	if text := takeoverMode(counts, strategy); text != "" {
		clusters.tail = append(clusters.tail, "  "+text)
	}
	sections = append(sections, objectSections(preview, strategy)...)
	text := layout(append(sections, clusters, noteSection(preview)))
	for _, paragraph := range advice(preview, counts, strategy) {
		if text != "" {
			text += "\n\n"
		}
		text += paragraph
	}
	return text
}

// noteSection tells what is odd about the selection.
func noteSection(preview *engine.Preview) *section {
	out := &section{what: "note", reserve: 4}
	for _, note := range notes(preview) {
		out.add(note)
	}
	return out
}

func notes(preview *engine.Preview) []string {
	var out []string
	if preview.Predicted {
		out = append(out, "This is a prediction: the hub decides, on what it finds when it comes to it.")
	}
	if preview.External {
		out = append(out, externalNote)
	}
	if text := rolloutNote(preview); text != "" {
		out = append(out, text)
	}
	if !preview.Fulfilled {
		out = append(out, "The policy asks for more clusters than can be had now.")
	}
	if len(preview.Unknown) > 0 {
		out = append(out, "Known only after apply, and so not in this preview: "+plain(list(preview.Unknown, maxClusters), maxMessage)+
			". The apply looks at the clusters again before it writes.")
	}
	if len(preview.Selected) > 0 { // else the advice tells of all
		out = append(out, emptySelectors(preview)...)
	}
	for _, skipped := range preview.Skipped {
		out = append(out, fmt.Sprintf("%s, which resource_selectors[%d] selects, is not placed, because %s.", plain(skippedName(skipped), maxName), skipped.Selector,
			plain(skipped.Reason, maxMessage)))
	}
	if text := trustNote(preview, "This apply signs them."); text != "" {
		out = append(out, text)
	}
	out = append(out, handOverNotes(preview)...)
	out = append(out, unmanagedNotes(preview)...)
	for _, object := range preview.Unselected {
		out = append(out, fmt.Sprintf("The manifest of %s is not selected by any of the resource_selectors and will not be placed.",
			plain(object.String(), maxName)))
	}
	return out
}

// skippedName names an object that is never placed, or its kind.
func skippedName(s selection.Skipped) string {
	if s.Name == "" {
		return "A " + s.Kind
	}
	return s.Identifier.String()
}
