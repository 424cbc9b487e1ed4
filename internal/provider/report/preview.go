package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/selection"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
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

// Preview reports what an apply would do. It returns the changes, which the plan shows, and adds one warning with what a person has to weigh, if anything, the
// conflicts first.
func Preview(diags *diag.Diagnostics, preview *engine.Preview, plan Plan) (changes string) {
	r := newReview(preview, plan)
	changes = r.changes()
	refused := plan.Refuse && r.counts.of[takeover.ActionLeaveAlone] > 0
	if !refused && !r.needsWarning() && (plan.Shown || changes == "") {
		dangers(diags, preview)
		return changes
	}
	summary := fmt.Sprintf("Placement %q (%s): %s", plain(preview.Placement, maxName), words.Count(r.counts.clusters, "cluster"), r.counts.summary(asIs))
	if plan.Unfinished.explains(preview) {
		summary += "; the last apply is not complete"
	}
	text := r.detail(changes)
	if refused {
		diags.AddAttributeError(path.Root("on_takeover_conflict"), summary,
			text+"\n\non_takeover_conflict is \"Error\", so nothing will be applied."+HoldsUpDestroy)
		return changes
	}
	diags.AddAttributeWarning(path.Root("name"), summary, text)
	dangers(diags, preview)
	return changes
}

// detail is the body of the warning.
func (r *review) detail(changes string) string {
	var sections []*section
	if r.plan.Unfinished.explains(r.preview) {
		sections = append(sections, r.plan.Unfinished.beside(r.preview).section(goesOn))
	}
	if !r.plan.Shown && changes != "" {
		shown := &section{title: "Changes:", what: "line", reserve: 8}
		for line := range strings.SplitSeq(changes, "\n") {
			shown.add("  " + line)
		}
		sections = append(sections, shown)
	}
	sections = append(sections, r.objectSections()...)
	text := layout(append(sections, r.clusters(), r.noteSection()))
	for _, paragraph := range advice(r.preview, r.counts, r.plan) {
		if text != "" {
			text += "\n\n"
		}
		text += paragraph
	}
	return text
}

// dangers tells each at the attribute that causes it.
func dangers(diags *diag.Diagnostics, preview *engine.Preview) {
	for _, danger := range preview.Dangers {
		diags.AddAttributeWarning(convert.Root(danger.Path), fmt.Sprintf("Placement %q: %s", plain(preview.Placement, maxName), danger.Title),
			plain(danger.Message, maxError))
	}
}

// Unlooked adds an error for each cluster that could not be checked, as the preview mode "Required" asks for.
func Unlooked(diags *diag.Diagnostics, preview *engine.Preview) {
	for _, cluster := range preview.Clusters {
		if cluster.Err != nil {
			diags.AddAttributeError(path.Root("name"), "Cluster \""+plain(cluster.Name, maxName)+"\" could not be previewed",
				plain(impersonal(cluster.Err.Error(), cluster.Name), maxMessage)+
					"\n\nThe provider argument preview is \"Required\", so the plan stops here."+HoldsUpDestroy)
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
		title := cmp.Or(plain(limitation.Title, maxName), "Not supported by this engine: "+limitation.Path.String())
		diags.AddAttributeError(convert.Root(limitation.Path), title, plain(limitation.Message, maxError))
	}
}

func asIs(name string) string { return name }

// noteSection tells what is odd about the selection.
func (r *review) noteSection() *section {
	out := &section{what: "note", reserve: 4}
	for _, note := range remarks(r.preview) {
		if r.plan.first(note) {
			out.add(note)
		}
	}
	if r.preview.Hold != nil {
		out.add(rolloutNote(r.preview))
	}
	for _, note := range cautions(r.preview) {
		out.add(note)
	}
	return out
}

func notes(preview *engine.Preview) []string {
	out := remarks(preview)
	if text := rolloutNote(preview); text != "" {
		out = append(out, text)
	}
	return append(out, cautions(preview)...)
}

// remarks say how a placement is carried out.
func remarks(preview *engine.Preview) []string {
	var out []string
	if preview.Predicted {
		out = append(out, "This is a prediction. The hub and its agents decide when they apply the change.")
	}
	if preview.External {
		out = append(out, externalNote)
	}
	return out
}

// cautions are the notes that are a reason for a warning.
func cautions(preview *engine.Preview) []string {
	var out []string
	if !preview.Fulfilled {
		out = append(out, "The policy asks for more clusters than are available now.")
	}
	if len(preview.Unknown) > 0 {
		out = append(out, "Known only after apply, and so not in this preview: "+plain(words.List(preview.Unknown, maxClusters), maxMessage)+
			". The apply checks the clusters again before it writes.")
	}
	if len(preview.Selected) > 0 { // else the advice tells of all
		out = append(out, emptySelectors(preview)...)
	}
	for _, skipped := range preview.Skipped {
		out = append(out, fmt.Sprintf("%s, which resource_selectors[%d] selects, is not placed, because %s.", plain(skippedName(skipped), maxName), skipped.Selector,
			plain(skipped.Reason, maxMessage)))
	}
	if text := trustNote(preview, "This apply signs them. Check first that the objects which this plan updates and deletes belong to the placement."); text != "" {
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
