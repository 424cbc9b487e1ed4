package report

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
)

const (
	// maxLines is how long a warning may be, the advice at its end apart; what is left out is counted.
	maxLines = 50
	// maxDifferences is how many fields of one object are shown.
	maxDifferences = 4
	// maxClusters is how many clusters are named before the rest is counted.
	maxClusters = 3
)

// Preview tells what an apply would do: one warning, with the conflicts first. With refuse, objects that exist already and will not be
// taken over are an error.
func Preview(diags *diag.Diagnostics, preview *engine.Preview, strategy placement.ApplyStrategy, refuse bool) {
	counts := count(preview)
	summary := fmt.Sprintf("Placement %q (%s): %s", preview.Placement, plural(counts.clusters, "cluster"), counts.summary(asIs))
	text := detail(preview, counts, strategy)
	if refuse && counts.of[takeover.ActionLeaveAlone] > 0 {
		diags.AddAttributeError(path.Root("on_takeover_conflict"), summary,
			text+"\n\non_takeover_conflict is \"error\", so nothing will be applied.")
		return
	}
	diags.AddAttributeWarning(path.Root("name"), summary, text)
}

// Unlooked makes every cluster that could not be looked at an error, as the preview mode "required" wants it.
func Unlooked(diags *diag.Diagnostics, preview *engine.Preview) {
	for _, cluster := range preview.Clusters {
		if cluster.Err != nil {
			diags.AddAttributeError(path.Root("name"), "Cluster \""+cluster.Name+"\" could not be previewed", cluster.Err.Error()+
				"\n\nThe provider argument preview is \"required\", so the plan stops here.")
		}
	}
}

// Limitations tells what the engine cannot express, at the attribute that asks for it: as an error, or as a warning where the value is kept.
func Limitations(diags *diag.Diagnostics, found []engine.Limitation) {
	for _, limitation := range found {
		if limitation.Ignored {
			diags.AddAttributeWarning(convert.Path(limitation.Path), "Without effect in this engine: "+limitation.Path.String(), limitation.Message)
			continue
		}
		diags.AddAttributeError(convert.Path(limitation.Path), "Not supported by this engine", limitation.Message)
	}
}

func asIs(name string) string { return name }

// detail is the body of the warning.
func detail(preview *engine.Preview, counts counts, strategy placement.ApplyStrategy) string {
	scored := scores(preview)
	clusters := clusterSection(preview, func(c engine.ClusterPreview) string { return applyText(c, scored) })
	text := layout(append(objectSections(findings(preview), strategy), clusters, noteSection(preview)), maxLines)
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
	if !preview.Fulfilled {
		out = append(out, "The policy asks for more clusters than can be had now.")
	}
	if len(preview.Unknown) > 0 {
		out = append(out, "Known only after apply, and so not in this preview: "+list(preview.Unknown, maxClusters)+
			". The apply looks at the clusters again before it writes.")
	}
	for _, i := range preview.EmptySelectors {
		out = append(out, fmt.Sprintf("resource_selectors[%d] matches nothing now.", i))
	}
	for _, object := range preview.Unselected {
		out = append(out, fmt.Sprintf("The manifest of %s is not selected by any of the resource_selectors and will not be placed.",
			plain(object.String(), maxName)))
	}
	return out
}
